import type { RoomRow } from './play-room.ts'

/** Characters of a cell. */
const WIDTH = 44

const HEADER = ['second', 'event', 'said', 'heard', 'kept in history', 'ok']

/** The head of the table. */
export function roomHeader(): string {
  return `${line(HEADER)}\n${line(HEADER.map((title) => '─'.repeat(widthOf(title))))}`
}

/** One event in one line. Long texts are cut in their middle. */
export function roomLine({ second, event, said, heard, kept, fault }: RoomRow): string {
  return line([second.toFixed(0), event, said, heard, kept, fault ?? 'ok'])
}

function line(cells: readonly string[]): string {
  return cells
    .map((cell, column) => fit(cell, widthOf(HEADER[column])))
    .join('  ')
    .trimEnd()
}

function widthOf(title: string | undefined): number {
  return title === 'second' ? 6 : title === 'event' ? 9 : title === 'ok' ? 2 : WIDTH
}

function fit(text: string, width: number): string {
  if (text.length <= width || width < 10) return text.padEnd(width)
  const half = Math.floor((width - 1) / 2)
  return `${text.slice(0, half)}…${text.slice(text.length - (width - 1 - half))}`
}
