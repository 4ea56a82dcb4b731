import { builtinModules } from 'node:module'
import { posix } from 'node:path'

/** An import of a source file. */
export interface Import {
  /** The importing file, relative to the source folder: `use-cases/speech/speak.ts`. */
  readonly from: string
  /** The imported file in the same form, or the specifier of a package or a Node module. */
  readonly to: string
  readonly kind: 'file' | 'node' | 'package'
}

const STATEMENT = /^(?:import|export)\s(?:[^;'"]*?\sfrom\s)?['"](?<specifier>[^'"]+)['"]/gm

/** `import('…')` as an expression or a type. A quote before it in the line would make it text. */
const CALL = /^[^'"`\n]*?\bimport\(\s*['"](?<specifier>[^'"]+)['"]/gm

/** Comments hold links such as `{@link import('./a.ts').A}`. */
const COMMENT = /^\s*(?:\*|\/\/|\/\*)/

/** Returns the imports and re-exports of a file, with those of types and `import()`. */
export function importsOf(from: string, code: string): Import[] {
  const calls = Array.from(code.matchAll(CALL)).filter(([text]) => !COMMENT.test(text))
  return [...code.matchAll(STATEMENT), ...calls].map(({ groups }): Import => {
    const specifier = groups?.['specifier'] ?? ''
    if (specifier.startsWith('.')) {
      return { from, to: posix.join(posix.dirname(from), specifier), kind: 'file' }
    }
    const isNode = specifier.startsWith('node:') || builtinModules.includes(specifier)
    return { from, to: specifier, kind: isNode ? 'node' : 'package' }
  })
}

/**
 * Finds import cycles, type imports included.
 * @returns One cycle, as a list of files, for each group of files that reach one another.
 */
export function findCycles(imports: readonly Import[]): string[][] {
  const targets = Map.groupBy(
    imports.filter(({ kind }) => kind === 'file'),
    ({ from }) => from,
  )
  const cycles: string[][] = []
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file)
    if (start !== -1) cycles.push(path.slice(start))
    if (start !== -1 || done.has(file)) return
    for (const { to } of targets.get(file) ?? []) visit(to, [...path, file])
    done.add(file)
  }
  for (const file of targets.keys()) visit(file, [])
  return cycles
}
