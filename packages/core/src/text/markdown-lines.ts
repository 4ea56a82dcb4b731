import { definedLabel } from './link-definitions.ts'

/** A fenced block of code under work. */
export interface Fence {
  readonly mark: string
  readonly length: number
  /** Whether it stands in a quotation. */
  readonly quoted: boolean
}

/** A line without what marks it as a heading, an item or a footnote. */
export interface LineStart {
  readonly kind: 'text' | 'heading' | 'item' | 'definition'
  readonly text: string
}

/** The lines of a text, each with its end. */
export function linesOf(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? []
}

/** The fence that a line opens. */
export function openedFence(line: string, quoted: boolean): Fence | undefined {
  const fence = /^[ \t]*(`{3,}|~{3,})/.exec(line)?.[1]
  if (fence === undefined) return undefined
  const mark = fence.charAt(0)
  // A line with more backticks holds code itself.
  if (mark === '`' && line.slice(line.indexOf(fence) + fence.length).includes('`')) return undefined
  return { mark, length: fence.length, quoted }
}

/** Whether a line closes a fence. */
export function closesFence(line: string, fence: Fence): boolean {
  const marks = line.trim()
  return marks.length >= fence.length && isRunOf(marks, fence.mark)
}

/** Whether a line is drawn: a thematic break, or the line under a heading. */
export function isRule(line: string, underText: boolean): boolean {
  const marks = line.replaceAll(/[ \t\r\n]/g, '')
  const mark = marks.charAt(0)
  if (underText && /^ {0,3}(?:=|--)/.test(line) && isRunOf(line.trim(), mark)) return true
  return marks.length >= 3 && '-*_'.includes(mark) && isRunOf(marks, mark)
}

/** Whether a line draws the line below a table's head. */
export function isDelimiterRow(line: string): boolean {
  if (!line.includes('|') || !/^[-:|\s]+$/.test(line)) return false
  return tableCells(line).every((cell) => /^:?-+:?$/.test(cell))
}

/** The cells of a table's row. */
export function tableCells(row: string): string[] {
  const inner = row.trim().replace(/^\|/, '')
  const cells = inner.split(/(?<!\\)\|/)
  if (cells.at(-1) === '') cells.pop()
  return cells.map((cell) => cell.replaceAll('\\|', '|').trim())
}

/** What a line begins with. */
export function lineStart(line: string, definitions: ReadonlySet<string>): LineStart {
  const heading = /^ {0,3}#{1,6}(?=[ \t\r\n]|$)[ \t]*/.exec(line)
  if (heading !== null) return { kind: 'heading', text: withoutClosing(line.slice(heading[0].length)) }
  const label = definitions.size > 0 ? definedLabel(line) : undefined
  if (label !== undefined) return { kind: 'definition', text: '' }
  const footnote = /^ {0,3}\[\^[^\]\s]{1,64}\]:[ \t]*/.exec(line)
  if (footnote !== null) return { kind: 'item', text: line.slice(footnote[0].length) }
  const bullet = /^[ \t]*[-*+](?:[ \t]+(?:\[[ xX]\][ \t]+)?|(?=[\r\n]|$))/.exec(line)
  if (bullet !== null) return { kind: 'item', text: line.slice(bullet[0].length) }
  return { kind: /^[ \t]*\d{1,9}[.)][ \t]/.test(line) ? 'item' : 'text', text: line }
}

/** A heading may be closed by more of its marks. */
function withoutClosing(heading: string): string {
  const text = heading.trimEnd()
  let length = text.length
  while (text.charAt(length - 1) === '#') length -= 1
  if (length === text.length || !/^$|[ \t]/.test(text.charAt(length - 1))) return heading
  return text.slice(0, length).trimEnd() + heading.slice(text.length)
}

function isRunOf(text: string, mark: string): boolean {
  return text !== '' && mark.length === 1 && text === mark.repeat(text.length)
}
