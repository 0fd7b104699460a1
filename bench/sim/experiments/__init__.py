# SPDX-License-Identifier: BSD-3-Clause
"""Each experiment is a module with

  TITLE, PAPER     what it repeats
  jobs(o)          the simulations; o: options of bench/sim/run
  report(o, rows)  draws its pictures, and returns the Markdown between title and footer
  verdict(rows)    (word, facts): "reproduced", "in part" or "not reproduced", and a dict of the numbers that decide;
                   for --sensitivity, too
"""
