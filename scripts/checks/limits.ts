// Checks the limits of docs/contributing-reference.md: length of files and functions, docstrings of exports.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

/**
 * Finds exported declarations without a docstring. Only the first signature of an overloaded function needs one.
 *
 * @param path Path of the file, for its syntax and for the returned lines.
 * @returns One line per declaration: `path:line: name has no docstring`.
 */
export function findUndocumented(path: string, source: string): string[] {
  const seen = new Set<string>()
  return parseAst(source, { lang: path.endsWith('x') ? 'tsx' : 'ts' }).body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration' && node.type !== 'ExportDefaultDeclaration') return []
    if (node.declaration === null) return []
    const name = nameOf(source.slice(node.declaration.start, node.declaration.end))
    const decorators = 'decorators' in node.declaration ? node.declaration.decorators : []
    const before = source.slice(0, Math.min(node.start, ...decorators.map(({ start }) => start)))
    const isDocumented = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*(?:\/\/.*\n\s*)*$/.test(before)
    if (seen.has(name) || isDocumented) {
      seen.add(name)
      return []
    }
    return [`${path}:${before.split('\n').length}: ${name} has no docstring`]
  })
}

/** Reads the name after the keywords of a declaration. */
function nameOf(declaration: string): string {
  const keywords = /^(?:(?:abstract|async|class|const|declare|enum|function|interface|let|namespace|type)\b[\s*]*)*/
  return /^[\w$]+/.exec(declaration.replace(keywords, ''))?.[0] ?? 'the default export'
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..')
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const find = (pattern: string | string[]): string[] =>
    globSync(pattern, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**', '**/sites/**'] })

  const oxlint = join(root, 'node_modules/.bin/oxlint')
  const lengths = spawnSync(oxlint, ['-c', 'scripts/checks/limits.json', '--format', 'unix', '.'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (lengths.error !== undefined) throw lengths.error
  const faults = lengths.stdout.split('\n').filter((line) => line.includes('eslint('))
  // A linter that fails for another reason, such as a file that vanishes while it is read, says why.
  if (lengths.status !== 0 && faults.length === 0) console.error(lengths.stdout + lengths.stderr)

  const sources = find(['{apps,engines,packages}/*/src/**/*.{ts,tsx}', 'kit/*/*.ts', 'kit/options/src/*.ts']).filter(
    (path) => !path.includes('.test.') && !path.endsWith('.config.ts'),
  )
  for (const path of sources) faults.push(...findUndocumented(path, read(path)))

  for (const fault of faults) console.error(fault)
  console.log(`${sources.length} files with documented exports, ${faults.length} limits exceeded`)
  process.exitCode = faults.length === 0 && lengths.status === 0 ? 0 : 1
}
