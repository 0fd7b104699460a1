/* report.h - what the solvers have found, side by side. */
#ifndef CG_REPORT_H
#define CG_REPORT_H

#include "solver.h"

/* Collective. A line for each of the n solvers; 0 if all converged, to the same solution. */
int report(solver s[], int n);

#endif
