const DIRECTIVE = /^<!-- section: (?<path>\S+?)#(?<heading>.+?) -->$/gm

/**
 * Returns the body of a section of a Markdown page: from below its heading to the next heading of its level or above.
 * @throws Error for a page without the heading
 */
export function sectionBody(markdown: string, heading: string): string {
  const lines = markdown.split('\n')
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading)
  if (start === -1) throw new Error(`there is no heading "${heading}"`)
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 0
  let fenced = false
  const end = lines.findIndex((line, index) => {
    if (index <= start) return false
    if (line.startsWith('```')) fenced = !fenced
    const marks = /^(#+) /.exec(line)?.[1]
    return !fenced && marks !== undefined && marks.length <= level
  })
  return lines
    .slice(start + 1, end === -1 ? undefined : end)
    .join('\n')
    .trim()
}

/**
 * Replaces `<!-- section: path#Heading -->` by the body of that section, so that a table stands in one place.
 *
 * @param bodyOf The body by path and heading
 */
export function includeSections(markdown: string, bodyOf: (path: string, heading: string) => string): string {
  return markdown.replaceAll(DIRECTIVE, (_whole, path: string, heading: string) => bodyOf(path, heading))
}
