import { COMMANDS } from '../../src/cli/commands/index.ts'

/** The commands as a Markdown table, for docs/configuration.md. A test compares the two. */
export function commandsTable(): string {
  const rows = COMMANDS.map(({ name, usage, meaning, details, flags = [] }) => {
    const options = flags.map((flag) => `[--${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}]`)
    const call = [name, ...(usage === undefined ? [] : [usage]), ...options].join(' ')
    return `| \`${call}\` | ${meaning}.${details === undefined ? '' : ` ${details}`} |`
  })
  return ['| command | effect |', '| --- | --- |', ...rows].join('\n')
}
