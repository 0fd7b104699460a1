/* SPDX-License-Identifier: BSD-3-Clause */
/* html_facts.c - the page's list of what was run, on what; its style sheet; cells of its tables. */
#include "report_html.h"
#include "svg.h"

#include <stdlib.h>
#include <string.h>

const char *const html_style[] = {
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1d2327;--soft:#5b6670;--rule:#d9dee2;",
    "--stripe:#f4f6f7;--s0:#0072b2;--s1:#e69f00;--s2:#009e73;--s3:#cc79a7;--s4:#d55e00;",
    "--s5:#56b4e9;--s6:#8c6bb1;--s7:#7f7f7f}",
    "@media (prefers-color-scheme:dark){:root{--paper:#14181b;--ink:#e3e7ea;--soft:#9aa5ad;",
    "--rule:#333b41;--stripe:#1c2226;--s0:#4aa8e0;--s3:#e29cc4;--s4:#f07f36;--s6:#b59ad6;",
    "--s7:#a5a5a5}}",
    "*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);",
    "font:15px/1.5 system-ui,sans-serif}main{max-width:62rem;margin:auto;padding:1.2rem}",
    "h1{font-size:1.5rem;line-height:1.25;margin:.2rem 0}h2{font-size:1.15rem;margin:2.2rem 0 "
    ".4rem}",
    "p{margin:.4rem 0}.soft{color:var(--soft)}code,pre{font:13px/1.45 ui-monospace,monospace}",
    "pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}code{overflow-wrap:anywhere}",
    ".scroll{overflow-x:auto}svg.plot{display:block;width:100%;min-width:34rem;max-width:54rem}",
    "svg text{fill:var(--ink);font:12px system-ui,sans-serif}svg .heading{font-weight:600}",
    ".grid{stroke:var(--rule);stroke-width:1}.one{stroke:var(--ink);stroke-width:1.2}",
    ".frame{fill:none;stroke:var(--soft);stroke-width:1}",
    ".line{fill:none;stroke-width:2;stroke:var(--c)}.whisker{stroke:var(--c,var(--ink));",
    "stroke-width:1.2}.band{fill:var(--c);opacity:.16}.mark{fill:var(--c)}",
    ".d1 .line{stroke-dasharray:7 4}.d2 .line{stroke-dasharray:2 3}.reference{--c:var(--ink)}",
    ".s0{--c:var(--s0)}.s1{--c:var(--s1)}.s2{--c:var(--s2)}.s3{--c:var(--s3)}",
    ".s4{--c:var(--s4)}.s5{--c:var(--s5)}.s6{--c:var(--s6)}.s7{--c:var(--s7)}",
    ".faster{fill:var(--s0)}.slower{fill:var(--s1)}.even{fill:var(--s7)}",
    ".legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;padding:0;",
    "margin:.3rem 0 .9rem;font-size:13px}.legend li{display:flex;align-items:center;gap:.4rem}",
    ".key{display:inline-block;width:.8em;height:.8em}.key.faster{background:var(--s0)}",
    ".key.slower{background:var(--s1)}.key.even{background:var(--s7)}",
    "table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}",
    "th,td{padding:.2rem .6rem;text-align:right;white-space:nowrap;",
    "border-bottom:1px solid var(--rule)}th{font-weight:600;vertical-align:bottom}",
    "th.t,td.t{text-align:left}tbody tr:nth-child(even){background:var(--stripe)}",
    "td.best{font-weight:700}.ci{color:var(--soft);font-size:11px;display:block}",
    ".bad{color:var(--s4);font-weight:700}",
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.4rem 0}",
    "dt{color:var(--soft)}dd{margin:0;min-width:0}",
    "@media (max-width:36rem){main{padding:.8rem}dl{grid-template-columns:1fr}dd{margin:0 0 "
    ".4rem}}",
    "@media print{:root{color-scheme:light;--paper:#fff;--ink:#000;--soft:#444;--rule:#bbb;",
    "--stripe:#fff;--s0:#0072b2;--s3:#cc79a7;--s4:#d55e00;--s6:#8c6bb1;--s7:#7f7f7f}",
    "main{max-width:none}.scroll{overflow:visible}svg.plot{min-width:0}figure,tr{break-inside:"
    "avoid}",
    "h2,p.soft{break-after:avoid}*{print-color-adjust:exact}}",
    NULL};

/* ---- cells ---- */

void html_size(FILE *out, int64_t size)
{
    char text[BYTES_TEXT];

    if (size > 0)
        fprintf(out, "<td>%s</td>", bytes_text(text, size));
    else
        fputs("<td>-</td>", out);
}

void html_number(FILE *out, bool known, double us)
{
    if (known)
        fprintf(out, "<td>%.2f</td>", us);
    else
        fputs("<td></td>", out);
}

/* ---- facts ---- */

static void begin(FILE *out, const char *what)
{
    fprintf(out, "<dt>%s</dt><dd>", what);
}

static void fact(FILE *out, const char *what, const char *text)
{
    if (!text || !*text)
        return;
    begin(out, what);
    html_text(out, text);
    fputs("</dd>\n", out);
}

/* As it is written in a shell. */
static void argument(FILE *out, const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%^";

    if (*s && s[strspn(s, plain)] == '\0') {
        html_text(out, s);
        return;
    }
    fputs("&#39;", out);
    for (size_t n; *s; s += n) {
        char *part;
        if (*s == '\'') {
            fputs("&#39;\\&#39;&#39;", out);
            s++;
        }
        n = strcspn(s, "'");
        part = calloc(n + 1, 1);
        if (part)
            html_text(out, memcpy(part, s, n));
        free(part);
    }
    fputs("&#39;", out);
}

static void command_line(FILE *out, const html_report *h)
{
    begin(out, "Command");
    fputs("<code id=command>tutti-bench", out);
    for (int i = 0; i < h->argc; i++) {
        fputc(' ', out);
        argument(out, h->argv[i]);
    }
    fprintf(out, "</code>, on %d rank%s</dd>\n", h->ranks, h->ranks == 1 ? "" : "s");
}

static void machine_facts(FILE *out, const machine *m)
{
    fact(out, "Host", m->host);
    if (*m->processor) {
        begin(out, "Processor");
        html_text(out, m->processor);
        if (m->processors)
            fprintf(out, "; %d online", m->processors);
        fputs("</dd>\n", out);
    }
    fact(out, "System", m->system);
}

static void versions(FILE *out, const html_report *h)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, major, minor, patch;

    MPI_Get_version(&major, &minor);
    begin(out, "MPI");
    html_text(out, h->m.mpi);
    fprintf(out, ", of MPI %d.%d; ", major, minor);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    fputs("<span class=soft>", out);
    html_text(out, library);
    fputs("</span></dd>\n", out);
    tutti_version(&major, &minor, &patch);
    begin(out, "Tutti");
    fprintf(out, "%d.%d.%d; compiler ", major, minor, patch);
    html_text(out, __VERSION__);
#ifdef __OPTIMIZE__
    fputs(", optimized", out);
#else
    fputs(", not optimized", out);
#endif
#ifndef NDEBUG
    fputs(", with assertions", out);
#endif
    fputs("</dd>\n", out);
}

static void library_facts(FILE *out)
{
    const char *name = "", *reason = "", *why = "";
    int processes = 0;

    if (tutti_progress_driver(&name, &reason) == MPI_SUCCESS) {
        begin(out, "Progress");
        html_text(out, name);
        fputs("; ", out);
        html_text(out, reason);
        fputs("</dd>\n", out);
    }
    if (tutti_shared_memory(&processes, &why) != MPI_SUCCESS)
        return;
    begin(out, "Shared memory");
    if (processes > 1 && !(why && *why))
        fprintf(out, "of %d processes", processes);
    else
        html_text(out, why && *why ? why : "none");
    fputs("</dd>\n", out);
}

static void method(FILE *out, const html_report *h)
{
    const options *o = h->o;

    begin(out, "Method");
    if (o->iterations >= 0)
        fprintf(out, "%d repetitions", o->iterations);
    else
        fputs("1000 repetitions, above 8 KiB 100", out);
    fprintf(out, "; synchronized by %s; batches of %d; seed %d", sync_names[o->sync], o->batch,
            o->seed);
    if (o->calls)
        fprintf(out, "; %d progress calls in a computation", o->calls);
    if (o->seconds > 0)
        fprintf(out, "; at most %g s for a size", o->seconds);
    if (coll_has(o->what, COLL_ROOTED) && strcmp(o->command, "guidelines") != 0)
        fprintf(out, "; root %d", o->root);
    fputs(o->verify ? "; data verified</dd>\n" : "; data not looked at</dd>\n", out);
}

void html_facts(FILE *out, const html_report *h)
{
    fputs("<section id=facts><h2>What was run, and on what</h2><dl>\n", out);
    command_line(out, h);
    fact(out, "Label", h->o->label);
    fact(out, "Date", h->date);
    machine_facts(out, &h->m);
    versions(out, h);
    library_facts(out);
    method(out, h);
    if (h->topology && *h->topology) {
        begin(out, "Where ranks are");
        fputs("<pre>", out);
        html_text(out, h->topology);
        fputs("</pre></dd>\n", out);
    }
    fputs("</dl></section>\n", out);
}
