import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ConfigurationError } from '@svc-audio/core'
import { commandLineFault } from '#options'
import { AUDIO_OUTPUTS, type AudioOutput } from './server-context.ts'

/** Arguments of the command line. */
export interface CliArguments {
  readonly command: 'stdio' | 'http' | 'check' | 'help' | 'version'
  /** `undefined` for the first voice of the service. */
  readonly voice: string | undefined
  readonly folder: string
  readonly port: number
  readonly host: string
  /** `undefined` for the default of the transport. */
  readonly output: AudioOutput | undefined
  readonly play: boolean
  readonly clientRoots: boolean
  readonly allowedOrigins: readonly string[] | undefined
  /** Names that requests may address. `undefined` for the default. */
  readonly allowedHosts: readonly string[] | undefined
  readonly allowUrls: boolean
  readonly allowedRoot: string | undefined
  /** Hosts whose URLs are transcribed. `undefined` for all. */
  readonly urlHosts: readonly string[] | undefined
  /** Whether a model may find and use every voice of the service. */
  readonly serviceVoices: boolean
  /** Whether a model may make voices of recordings. */
  readonly newVoices: boolean
  readonly model: string | undefined
  readonly transcriptionModel: string | undefined
  /** In milliseconds. */
  readonly taskAfter: number | undefined
  readonly token: string | undefined
  readonly stateless: boolean
  readonly maxSessions: number | undefined
  /** In milliseconds. */
  readonly idleTimeout: number | undefined
}

/** The help text. */
export const HELP = `Usage: svc-audio-mcp [options]

A Model Context Protocol server that speaks and transcribes, over stdio unless --http is given.

Options:
  --voice <id>                 voice that speaks (SVC_AUDIO_VOICE_ID; default the first voice of the service)
  --folder <path>              where audio and transcripts are stored (default svc-audio in your data folder)
  --output <form>              how a client gets audio: reference, file (with its path), resource or audio
                               (default file, with --http reference)
  --no-play                    no tool that plays audio on this computer
  --no-roots                   transcribe no files of the folders that the client shares as its roots
  --allowed-root <path>        folder whose audio files may be transcribed by path (default none)
  --no-urls                    transcribe no URLs
  --url-host <name>            host whose URLs are transcribed; repeat it for several (default every public host)
  --no-voices                  speak with the voice of --voice only, and do not list the voices of the service
  --new-voices                 let the model make voices of recordings
  --model <id>                 model of speech (default svc-tts-1.5-flash)
  --transcription-model <id>   model of transcriptions (default svc-transcribe-1.0)
  --task-after <seconds>       a transcription that takes longer becomes a task (default 40; many clients end a call
                               after 60)
  --check                      try the key, the voice and the folder, and exit
  --http                       serve streamable HTTP at /mcp
  --port <number>              port of --http (default 8788)
  --host <address>             address of --http (default 127.0.0.1)
  --allowed-host <name>        host name that clients of --http use; repeat it for several
                               (default the loopback names and --host)
  --allowed-origin <origin>    page that may call --http from a browser; repeat it for several (default none)
  --max-sessions <number>      sessions of --http at the same time (default 100)
  --idle-minutes <number>      a session of --http ends after this time without requests (default 30)
  --stateless                  --http without sessions, each request alone
  --help, --version

Environment:
  SVC_AUDIO_API_KEY            key of the audio service; required
  SVC_AUDIO_BASE_URL           address of the audio service
  SVC_AUDIO_MCP_TOKEN          bearer token of --http; required unless the host is a loopback address
`

/** @throws ConfigurationError naming the option */
export function readArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): CliArguments {
  const { values } = parse(args)
  const command = commandOf(values)
  if (command !== 'help' && command !== 'version') checkEnvironment(env)
  const { output, voice = env['SVC_AUDIO_VOICE_ID'] ?? '' } = values
  if (output !== undefined && !isOutput(output)) {
    throw new ConfigurationError(`--output must be one of ${AUDIO_OUTPUTS.join(', ')}`)
  }
  const count = (
    name: 'port' | 'max-sessions' | 'idle-minutes' | 'task-after',
    min: number,
    max: number,
  ): number | undefined => {
    const given = values[name]
    if (given === undefined) return undefined
    if (/^\d{1,5}$/.test(given) && Number(given) >= min && Number(given) <= max) return Number(given)
    throw new ConfigurationError(`--${name} must be an integer from ${min} to ${max}, got ${given}`)
  }
  if (values['new-voices'] === true && values['no-voices'] === true)
    throw new ConfigurationError('--new-voices makes voices for speech: leave out --no-voices')
  const minutes = count('idle-minutes', 1, 35_791)
  const seconds = count('task-after', 1, 86_400)
  return {
    command,
    voice: voice.trim() === '' ? undefined : voice,
    folder: values.folder ?? dataFolder({ platform: process.platform, home: homedir(), env }),
    output,
    play: values['no-play'] !== true,
    clientRoots: values['no-roots'] !== true,
    allowedOrigins: values['allowed-origin'],
    port: count('port', 0, 65_535) ?? 8788,
    host: values.host ?? '127.0.0.1',
    allowedHosts: values['allowed-host'],
    allowUrls: values['no-urls'] !== true,
    allowedRoot: values['allowed-root'],
    urlHosts: values['url-host'],
    serviceVoices: values['no-voices'] !== true,
    newVoices: values['new-voices'] === true,
    model: values.model,
    transcriptionModel: values['transcription-model'],
    taskAfter: seconds === undefined ? undefined : seconds * 1000,
    // By the environment alone: other users of the machine can read a command line.
    token: env['SVC_AUDIO_MCP_TOKEN'],
    stateless: values.stateless === true,
    maxSessions: count('max-sessions', 1, 65_535),
    idleTimeout: minutes === undefined ? undefined : minutes * 60_000,
  }
}

/** Variables that a client's configuration sets. */
const VARIABLES = ['SVC_AUDIO_API_KEY', 'SVC_AUDIO_BASE_URL', 'SVC_AUDIO_VOICE_ID', 'SVC_AUDIO_MCP_TOKEN']

/** Clients differ in how they write a variable, and leave the spelling of another client as it is. */
const UNREPLACED = /\$\{[^}]*\}|^\$(?:env:\w+|SVC_AUDIO_\w+)$|^%\w+%$/

/** What a documentation writes in place of a value. */
const PLACEHOLDER = /^(?:…+|\.{3,}|<.*>|\[.*\])$/

/** @throws ConfigurationError naming the variable */
function checkEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of VARIABLES) {
    const value = env[name]?.trim() ?? ''
    const [variable] = UNREPLACED.exec(value) ?? []
    if (variable !== undefined)
      throw new ConfigurationError(
        `${name} is ${variable}: the client did not put a value in its place. Write the value into its configuration, or the variable as this client spells it (packages/mcp/docs/clients.md)`,
      )
    if (PLACEHOLDER.test(value))
      throw new ConfigurationError(`${name} is still the placeholder ${value}: write your value into the configuration`)
    // Not shown: it may be the beginning of a key.
    if (value.includes('…'))
      throw new ConfigurationError(`${name} is cut off with "…": write your whole value into the configuration`)
  }
}

function commandOf({ help, version, check, http }: Readonly<Record<string, unknown>>): CliArguments['command'] {
  if (help === true) return 'help'
  if (version === true) return 'version'
  if (check === true) return 'check'
  return http === true ? 'http' : 'stdio'
}

function isOutput(value: string): value is AudioOutput {
  return AUDIO_OUTPUTS.some((output) => output === value)
}

const OPTIONS = {
  voice: { type: 'string' },
  folder: { type: 'string' },
  output: { type: 'string' },
  'no-play': { type: 'boolean' },
  'no-roots': { type: 'boolean' },
  check: { type: 'boolean' },
  'allowed-root': { type: 'string' },
  'no-urls': { type: 'boolean' },
  'url-host': { type: 'string', multiple: true },
  'no-voices': { type: 'boolean' },
  'new-voices': { type: 'boolean' },
  model: { type: 'string' },
  'transcription-model': { type: 'string' },
  'task-after': { type: 'string' },
  http: { type: 'boolean' },
  port: { type: 'string' },
  host: { type: 'string' },
  'allowed-host': { type: 'string', multiple: true },
  'allowed-origin': { type: 'string', multiple: true },
  'max-sessions': { type: 'string' },
  'idle-minutes': { type: 'string' },
  stateless: { type: 'boolean' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const

// oxlint-disable-next-line typescript/explicit-function-return-type -- parseArgs infers it
function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS })
  } catch (error) {
    throw new ConfigurationError(`${commandLineFault(error, Object.keys(OPTIONS))} (see --help)`, { cause: error })
  }
}

/** A machine, as far as its folders depend on it. */
interface DataFolderHost {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The user's folder for data of this program. A chat application starts a server in any folder, often in one that nobody
 * can write.
 */
export function dataFolder({ platform, home, env }: DataFolderHost): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'svc-audio')
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'svc-audio')
  const base = env['XDG_DATA_HOME'] ?? ''
  // The specification of these folders says to ignore a relative path.
  return join(base.startsWith('/') ? base : join(home, '.local', 'share'), 'svc-audio')
}
