import { readFileSync } from 'node:fs'
import { listSettings } from './settings.ts'

const COMMANDS: readonly (readonly [command: string, meaning: string])[] = [
  ['', 'serves'],
  ['keys create <tenant> [<days>]', 'makes a key and shows it once; it may expire'],
  ['keys rotate <id> [<hours>]', 'makes another key; the old one works for 24 or these hours'],
  ['keys list', 'lists ids, tenants, times, expiry and last use of the stored keys'],
  ['keys delete <id>', 'deletes a key; the service refuses it from then on'],
  ['voices delete <tenant> <id>', "deletes a tenant's own voice"],
  ['tasks cancel <tenant> <id>', 'cancels a task that has not ended'],
  ['webhook-secret <tenant>', "shows the secret that signs the tenant's webhooks"],
  ['webhook-secret <tenant> rotate [<hours>]', 'replaces it; both sign for 24 or these hours'],
  ['links rotate [<hours>]', 'replaces the secret of links; former links work for 24 or these hours'],
  ['tenants suspend <tenant>', 'refuses the requests of a tenant'],
  ['tenants resume <tenant>', 'accepts them again'],
  ['tenants list', 'lists the suspended tenants'],
  ['usage [--tenant <tenant>] [--from <day>] [--to <day>] [--json]', 'shows usage by tenant, UTC day and kind'],
  ['drain on', 'accepts no new work; running and queued tasks continue'],
  ['drain off', 'accepts work again'],
  ['audit [<filters>]', 'prints the audit log as JSON lines; --tenant, --action, --since and --until select'],
  ['doctor', 'checks storage, database, codec and engines'],
  ['migrate', 'makes or upgrades the tables of a cluster'],
  ['import', 'copies the folder of a stopped service into a cluster'],
]

/** Returns the `--help` text: the commands and every setting. */
export function helpText(): string {
  const commands = COMMANDS.map(([command, meaning]) => `  svc-audio-service ${command.padEnd(30)}${meaning}`)
  const settings = listSettings().map(({ flag, variable, fallback, meaning }) => {
    const names = flag === undefined ? variable : `${flag} <…>, ${variable}`
    return `  ${names}\n      ${meaning.replaceAll('`', '')} (default: ${fallback})`
  })
  return `svc-audio-service: speech and transcription on your own machine

Usage: svc-audio-service [command] [options]

Commands, which all but the first also work beside a running service:
${commands.join('\n')}

Settings, each as an option or an environment variable:
${settings.join('\n')}
  --help
      shows this
  --version
      shows the version
`
}

/** Returns the `--version` text. */
export function versionText(): string {
  // This package's manifest stands beside the folder of this file, compiled or not.
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : ''
  return `svc-audio-service ${String(version)}\n`
}
