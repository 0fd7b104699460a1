/* SPDX-License-Identifier: BSD-3-Clause */
/* weak.h - the names by which programs call: weak, so that a tool may define them and call ours by
 * PMPIX_ (tutti_pmpix.h). Behind the definition or a declaration, in the same file. */
#ifndef TUTTI_WEAK_H
#define TUTTI_WEAK_H

/* `#pragma weak` would do, but clang hides what that names. */
#define WEAK_NAME(name)                                                                            \
    extern __typeof__(P##name) name __attribute__((weak, alias("P" #name), visibility("default")))

#endif
