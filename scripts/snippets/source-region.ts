/**
 * Returns the text of a file, or of its region `// #region name` … `// #endregion`, without markers and indentation.
 *
 * @throws Error when the region is missing
 */
export function sourceRegion(text: string, region: string | undefined): string {
  if (region === undefined) return text
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.trim() === `// #region ${region}`)
  const end = lines.findIndex((line, index) => index > start && line.trim().startsWith('// #endregion'))
  if (start === -1 || end === -1) throw new Error(`no "// #region ${region}" with an end`)
  const inside = lines.slice(start + 1, end)
  const indent = Math.min(...inside.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)))
  return `${inside.map((line) => line.slice(indent)).join('\n')}\n`
}
