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
