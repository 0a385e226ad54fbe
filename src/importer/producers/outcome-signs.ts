/** Printed exit codes, and the words by which programs say that they passed. For lines as judged-lines.ts gives them. */

/** An exit code that the transcript itself prints, as a line of its own or at its end. Group 1 is the code. */
export const EXIT_MARKS: readonly RegExp[] = [
  /^\s*[[(<]?\s*(?:exit|rc|ec|exit[ _-]?(?:code|status)|return ?code)\s*[:=]?>?\s*(-?\d{1,10})\b(?: \(0x[0-9a-f]+\))?\s*(?:[\])>]|<\/\w+>)?\s*$/i,
  /\b(?:exited|failed|finished|completed|returned) with (?:a )?(?:non-?zero )?(?:exit )?(?:code|status)[: ]+(-?\d{1,10})[.\])>]{0,2}\s*$/i,
  /\breturned non-zero exit status (\d{1,3})\.?\s*$/,
]

/** Passes of what usually only prepares: they tell of a whole line only when its last command is of that kind. */
export const PREPARATIONS: readonly { readonly sign: RegExp; readonly command: RegExp }[] = [
  {
    sign: /^(?:added|changed|removed|up to date)\b.* in [\d.]+m?s$|^\d+ packages? (?:are|is) looking for funding|^found 0 vulnerabilities\b|^success Saved lockfile|^Successfully installed /,
    command:
      /^(?:npm|pnpm|yarn|bun|pip3?|uv|poetry)(?: pip)?(?: -\S+)* (?:install|i|ci|add|update|upgrade|sync|audit|remove|uninstall)\b|^yarn$/,
  },
  { sign: /^(?:Already up to date\.|Already on )|^\[[^\]]{1,60} [0-9a-f]{7,}\] /, command: /^git\b/ },
]

/** Summaries of a run in which nothing was tested: neither success nor failure. */
export const EMPTY_RUNS: readonly RegExp[] = [
  /^=*\s*no tests ran\b|^collected 0 items\b|^=*\s*(?:\d+ (?:skipped|deselected|xfailed|warnings?)(?:, )?)+ in [\d.]+ ?s/,
  /^Ran 0 tests\b|^\s*0 passing\b|^0 examples, 0 failures|^Tests:\s+0 total|^(?:# |ℹ )tests 0$|^1\.\.0\b/,
  /^(?:INFO: |WARNING: )?(?:There are )?No (?:tests?|examples|specs|scenarios) (?:files? |suites? |targets? )?(?:(?:were )?found|executed|to run|were run|ran|matched)\b|\[no tests to run\]|^testing: warning: no tests to run/i,
  /^\?\s+\S+\s+\[no test files\]$/,
  /^test result: ok\. 0 passed; 0 failed|^Tests run: 0,|^\[=+\] 0 tests from|^0 tests?, 0 failures|^No test is available/,
  /^(?:\[INFO\] )?(?:No tests to run\.|Tests are skipped\.)|^> Task \S*:\w*[tT]est\w* (?:NO-SOURCE|SKIPPED)$|^\w+: SKIP$/,
  /^\/\/\S+\s+SKIPPED\b|^Executed 0 (?:out of \d+ )?tests?\b|^There are no tests to run\b/,
]

/** A program's own summary of success. */
export const PASSING_SIGNS: readonly RegExp[] = [
  /^=*\s*(?:\d+ \w+, )*[1-9]\d* passed\b/,
  /^\s*(?:Tests?|Test Suites|Test Files):?\s+(?:\d+ \w+\s*[,|] )*[1-9]\d* passed\b/,
  /^\s*[1-9]\d* (?:pass(?:ed|ing)?|tests? passed|examples?, 0 failures)(?:$|[\s,(])/,
  /(?:^|[\s,;|(])0 (?:failed|failures|errors|fail)(?:\s*[,;.|)]|\s*$)/,
  /^test result: ok\b/,
  /^100% tests passed\b|^Passed! +- Failed: +0\b|^Test Run Successful\.|^\*\* (?:TEST|BUILD) SUCCEEDED \*\*/,
  /^(?:\[INFO\] )?Tests run: [1-9]\d*, +Failures: 0, +Errors: 0\b|^Result: PASS$|^\[ {2}PASSED {2}\] [1-9]\d* tests?\.$/,
  /^\s*Executed [1-9]\d* tests?, with 0 failures\b|^(?:# |ℹ )fail 0$|^INFO: Build completed successfully\b|^\[success\] /,
  /^OK(?: \(.*\))?$/,
  /^ok\s+(?!.* # (?:skip|todo)\b)\S/i,
  /^(?:PASS|PASSED)(?:\s|$)/,
  /^(?:[✓✔√] )?All (?:\S+ ){0,3}(?:tests|checks|test cases) passed\b/i,
  /^(?:BUILD|Build) (?:SUCCESSFUL|SUCCESS|succeeded)\b|^\[INFO\] BUILD SUCCESS/,
  /^\s*Finished [`\w].* in [\d.]+m?s/,
  /^\s*(?:✓|✔|√) (?:built|compiled|passed|done|no problems)\b/i,
  /^\s*(?:Successfully |Compiled successfully|webpack .*compiled successfully)/,
  /^Success(?:: |!|\.|$)/,
  /^(?:[✨⚡] +)?Done in [\d.]+ ?m?s\b/u,
  /^\[build\] Complete!|^\d+ page\(s\) built in [\d.]+m?s/,
  /^Apply complete! Resources:/,
  /^#?\d* ?(?:naming to|writing image|exporting to image).*\bdone\b|^Successfully (?:built|tagged)/,
  /^(?:=> )?\[\+\] (?:Building|Running) .*FINISHED/,
  /^> Task \S*:\w*[tT]est\w*$/,
  /^Found 0 (?:errors|issues|vulnerabilities)\b/,
  ...PREPARATIONS.map(({ sign }) => sign),
]
