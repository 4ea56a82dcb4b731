import { readFile } from 'node:fs/promises'

const BEGIN = '// #region shown'
const END = '// #endregion'

/** Reads the shown regions from an integration's file. The page shows the code that runs. */
export async function readExcerpt(id: string): Promise<string> {
  return excerptOf(await readFile(new URL(`${id}.ts`, import.meta.url), 'utf8'))
}

/**
 * Returns the lines between `// #region shown` and `// #endregion`. Each region loses its indentation, and an empty line
 * separates two regions.
 * @throws Error without a region, or with an unclosed region
 */
export function excerptOf(source: string): string {
  const regions: string[][] = []
  let region: string[] | undefined
  for (const line of source.split('\n')) {
    if (line.trim() === BEGIN) region = []
    else if (line.trim() === END && region !== undefined) {
      regions.push(region)
      region = undefined
    } else region?.push(line)
  }
  if (region !== undefined || regions.length === 0) throw new Error(`The file needs regions from ${BEGIN} to ${END}`)
  return regions.map(dedent).join('\n\n')
}

function dedent(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const least = Math.min(...indents)
  return lines.map((line) => line.slice(least)).join('\n')
}
