/** How the program is compiled, and what is measured beside it. */

/** Settings of `Bun.build` for one file that holds Bun and the program. @param outfile where it is written */
export function compileSettings(outfile: string) {
  return {
    target: 'bun',
    format: 'esm',
    minify: true,
    bytecode: true,
    // What is behind an import() lies apart in the file: a command reads only what it uses.
    splitting: true,
    compile: {
      outfile,
      // A folder the program is started in must not change what it does.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
      // Without it only Bun's own list of certificate authorities is trusted, and a company's proxy is not on it.
      execArgv: ['--use-system-ca'],
    },
  } as const satisfies Partial<Bun.BuildConfig>
}
