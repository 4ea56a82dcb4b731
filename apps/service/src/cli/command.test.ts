import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { helpText, readCommand } from './command.ts'
import { COMMANDS } from './commands/index.ts'
import { listSettings } from './settings.ts'

const PAGE = new URL('../../docs/configuration.md', import.meta.url)

/** Removes the formatter's padding of cells. */
function cells(table: string): string[] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.replaceAll(/ *\| */g, '|').replaceAll(/-{3,}/g, '---'))
}

test('the table of commands in docs/configuration.md equals the commands', async () => {
  const [, table = ''] = /<!-- commands -->(?<table>[^]*)<!-- \/commands -->/.exec(await readFile(PAGE, 'utf8')) ?? []
  expect(cells(table)).toEqual(cells(commandsTable()))
})

test('every command has one name, and help about it names its arguments and options', () => {
  expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length)
  for (const spec of COMMANDS) {
    const command = readCommand([...spec.name.split(' '), '--help'], {})
    expect(command).toEqual({ name: 'help', about: spec })
    const help = helpText(spec)
    expect(help).toContain(`svc-audio-service ${spec.name}${spec.usage === undefined ? '' : ` ${spec.usage}`}`)
    for (const { name } of spec.flags ?? []) expect(help).toContain(`--${name}`)
  }
})

test('an option of a command has one kind in all commands, and is no setting', () => {
  const kinds = new Map<string, boolean>()
  const settings = new Set(listSettings().map(({ flag }) => flag))
  for (const { name, value } of COMMANDS.flatMap(({ flags = [] }) => flags)) {
    expect(kinds.get(name) ?? value !== undefined).toBe(value !== undefined)
    kinds.set(name, value !== undefined)
    expect(settings.has(`--${name}`)).toBe(false)
  }
})

test('the word help before a command shows its help', () => {
  expect(readCommand(['help', 'keys', 'create'], {})).toMatchObject({ name: 'help', about: { name: 'keys create' } })
  expect(() => readCommand(['help', 'keys'], {})).toThrow('keys needs one of create, rotate, list, delete')
})

/** The commands as a Markdown table, for docs/configuration.md. */
function commandsTable(): string {
  const rows = COMMANDS.map(({ name, usage, meaning, details, flags = [] }) => {
    const options = flags.map((flag) => `[--${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}]`)
    const call = [name, ...(usage === undefined ? [] : [usage]), ...options].join(' ')
    return `| \`${call}\` | ${meaning}.${details === undefined ? '' : ` ${details}`} |`
  })
  return ['| command | effect |', '| --- | --- |', ...rows].join('\n')
}
