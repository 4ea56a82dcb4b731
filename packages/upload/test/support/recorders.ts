import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Columns of the table in docs/recipes/browser-microphones.md. */
export const RECORDERS = {
  chromiumWebm: 'Chromium, WebM',
  chromiumMp4: 'Chromium, MP4',
  firefox: 'Firefox, Ogg',
  safari: 'Safari, MP4',
  androidM4a: 'Android, `.m4a`',
  android3gp: 'Android, `.3gp`',
  voiceMemos: 'Voice Memos',
} as const

/** A row of the table: a setting, and what it accepts by column: `yes` or a dash. */
export interface DocumentedSetting {
  readonly accept: readonly string[]
  readonly cells: Readonly<Record<string, string>>
}

/** The rows of the table in docs/recipes/browser-microphones.md. */
export function settingsOfDocs(): readonly DocumentedSetting[] {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/recipes/browser-microphones.md'), 'utf8')
  const lines = page.split('\n')
  const start = lines.findIndex((line) => line.startsWith('| `accept` '))
  const [, ...columns] = cellsOf(lines[start] ?? '')
  const rows: DocumentedSetting[] = []
  for (let at = start + 2; lines[at]?.startsWith('|') === true; at += 1) {
    const [setting = '', ...cells] = cellsOf(lines[at] ?? '')
    const accept = Array.from(setting.matchAll(/`(?<type>[^`]+)`/g), ({ groups }) => groups?.['type'] ?? '')
    rows.push({ accept, cells: Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])) })
  }
  return rows
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}
