/** A step of a start page, in the order of the page. */
export type StartStep =
  /** A file to write: its path stands as code in the paragraph above its block. */
  | { readonly kind: 'file'; readonly path: string; readonly content: string }
  /** A line for a shell. */
  | { readonly kind: 'command'; readonly line: string }

const BLOCK = /^```(?<language>\w*)\n(?<code>[^]*?)^```$/gm

/** A path as code, at the start of the last paragraph before a block. */
const PATH = /(?:^|\n\n)`(?<path>[\w./-]+)`[^\n]*\n*(?:<!--[^\n]*-->\n*)?$/

/** Reads the files and the commands of a start page. @throws Error for a block of code without a path */
export function readStartPage(markdown: string): readonly StartStep[] {
  let end = 0
  return Array.from(markdown.matchAll(BLOCK)).flatMap(({ 0: whole, index, groups }): readonly StartStep[] => {
    const before = markdown.slice(end, index)
    end = index + whole.length
    const { language = '', code = '' } = groups ?? {}
    if (language === 'sh') {
      const lines = code.trim().split('\n')
      return lines.map((line) => ({ kind: 'command' as const, line }))
    }
    const path = PATH.exec(before)?.groups?.['path']
    if (path === undefined) throw new Error(`the block of ${language} has no path above it: ${code.split('\n')[0]}`)
    return [{ kind: 'file', path, content: code }]
  })
}
