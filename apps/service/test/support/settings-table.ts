import { listSettings } from '../../src/cli/settings.ts'

/** The settings as a Markdown table, for docs/configuration.md. A test compares the two. */
export function settingsTable(): string {
  const rows = listSettings().map(({ flag, variable, fallback, meaning }) => {
    return `| ${flag === undefined ? '' : `\`${flag}\``} | \`${variable}\` | ${fallback} | ${meaning} |`
  })
  return ['| option | variable | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
