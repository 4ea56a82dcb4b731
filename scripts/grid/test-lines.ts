/** Lines of code of a package. */
export interface CodeLines {
  readonly source: number
  readonly test: number
}

/** Checks that a server must pass are tests, wherever they stand. */
const TESTS = /\.test\.tsx?$|\/test(?:-hosts)?\/|^apps\/conformance\/src\/checks\//

/** Neither source nor test. */
const OTHER = /\.config\.m?ts$|\.d\.ts$|\/bench\//

/** Counts lines of source and of tests. @param files Path in the repository to content. */
export function countCodeLines(files: ReadonlyMap<string, string>): CodeLines {
  let [source, test] = [0, 0]
  for (const [path, content] of files) {
    if (TESTS.test(path)) test += codeLines(content)
    else if (!OTHER.test(path)) source += codeLines(content)
  }
  return { source, test }
}

/** Counts the lines that hold more than a comment. */
function codeLines(content: string): number {
  const lines = content.replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, '').split('\n')
  return lines.filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length
}
