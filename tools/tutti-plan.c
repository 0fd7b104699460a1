/* SPDX-License-Identifier: BSD-3-Clause */
/* tutti-plan.c - compile a collective for one rank and print its schedule, or totals of all ranks.
 *
 *   tutti-plan allgather sparbit -p 21 --rank 3
 *   tutti-plan allgather bruck:block -p 21 --all
 *   tutti-plan alltoall bruck_radix:4 -p 21 --all
 *   tutti-plan allgather lane:ring,block -p 64 --regions node:8 --critical-path
 *
 *   tutti-plan allgather lane:ring,block -p 16 --regions node:4 --bytes 65536 --svg picture.svg
 *   tutti-plan allreduce ring -p 4 --rank 1 --dot | dot -Tsvg >graph.svg
 *
 *   tutti-plan bcast binomial -p 21 --root 5 --rank 3
 *
 * Needs no MPI: a schedule is a function of the call alone.
 */
#include "plan.h"

#include <stdlib.h>

static int print(const request *r)
{
    int failed = r->p && !r->why ? plan_too_many_carried(r) : 0;

    return failed             ? failed
           : r->list          ? plan_print_list(r)
           : !r->p            ? plan_print_machine(r)
           : r->why           ? plan_print_why(r)
           : r->svg           ? plan_draw_svg(r)
           : r->dot           ? plan_print_dot(r)
           : r->model         ? plan_print_model(r)
           : r->time          ? plan_print_time(r)
           : r->critical_path ? plan_print_critical_path(r)
           : r->all           ? plan_print_all(r)
                              : plan_print_rank(r);
}

int main(int argc, char **argv)
{
    request r = {.bytes = -1, .command.name = "tutti-plan"};
    int failed;

    if (plan_parse(&r, argc, argv))
        failed = command_refuse(&r.command);
    else
        failed = r.said ? 0 : print(&r);
    topo_free(r.topo);
    free(r.counts);
    return command_end("tutti-plan", failed);
}
