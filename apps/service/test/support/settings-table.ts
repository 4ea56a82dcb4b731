import { listSettings } from '../../src/cli/settings.ts'

/** The settings as a table in Markdown, for docs/configuration.md; a test holds the two together. */
export function settingsTable(): string {
  const rows = listSettings().map(({ flag, variable, fallback, meaning }) => {
    return `| ${flag === undefined ? '' : `\`${flag}\``} | \`${variable}\` | ${fallback} | ${meaning} |`
  })
  return ['| option | variable | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
