import { parseArgs } from 'node:util'
import { ConfigurationError } from '@svc-audio/core'

/** Arguments of the command line. */
export interface CliArguments {
  readonly command: 'stdio' | 'http' | 'help' | 'version'
  readonly voice: string
  readonly folder: string
  readonly port: number
  readonly host: string
  /** Names that requests may address. `undefined` for the default. */
  readonly allowedHosts: readonly string[] | undefined
  readonly allowUrls: boolean
  readonly allowedRoot: string | undefined
  readonly model: string | undefined
  readonly transcriptionModel: string | undefined
  readonly token: string | undefined
}

/** The help text. */
export const HELP = `Usage: svc-audio-mcp [options]

A Model Context Protocol server that speaks and transcribes, over stdio unless --http is given.

Options:
  --voice <id>                 voice that speaks (SVC_AUDIO_VOICE_ID); required
  --folder <path>              where audio and transcripts are stored (default ./svc-audio)
  --allowed-root <path>        folder whose audio files may be transcribed by path (default none)
  --no-urls                    transcribe no URLs
  --model <id>                 model of speech (default svc-tts-1.5-flash)
  --transcription-model <id>   model of transcriptions (default svc-transcribe-1.0)
  --http                       serve streamable HTTP at /mcp
  --port <number>              port of --http (default 8788)
  --host <address>             address of --http (default 127.0.0.1)
  --allowed-host <name>        host name that clients of --http use; repeat it for several
                               (default the loopback names and --host)
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
  const { help, version, http, voice = env['SVC_AUDIO_VOICE_ID'] ?? '', port = '8788' } = values
  const command = help === true ? 'help' : version === true ? 'version' : http === true ? 'http' : 'stdio'
  if (voice.trim() === '' && (command === 'http' || command === 'stdio')) {
    throw new ConfigurationError('--voice must name the voice that speaks, e.g. --voice rms')
  }
  if (!/^\d{1,5}$/.test(port)) throw new ConfigurationError('--port must be an integer from 0 to 65535')
  return {
    command,
    voice,
    folder: values.folder ?? './svc-audio',
    port: Number(port),
    host: values.host ?? '127.0.0.1',
    allowedHosts: values['allowed-host'],
    allowUrls: values['no-urls'] !== true,
    allowedRoot: values['allowed-root'],
    model: values.model,
    transcriptionModel: values['transcription-model'],
    // By the environment alone: other users of the machine can read a command line.
    token: env['SVC_AUDIO_MCP_TOKEN'],
  }
}

// oxlint-disable-next-line typescript/explicit-function-return-type -- parseArgs infers it
function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        voice: { type: 'string' },
        folder: { type: 'string' },
        'allowed-root': { type: 'string' },
        'no-urls': { type: 'boolean' },
        model: { type: 'string' },
        'transcription-model': { type: 'string' },
        http: { type: 'boolean' },
        port: { type: 'string' },
        host: { type: 'string' },
        'allowed-host': { type: 'string', multiple: true },
        help: { type: 'boolean' },
        version: { type: 'boolean' },
      },
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'The command line cannot be read'
    throw new ConfigurationError(`${reason}. See --help`, { cause: error })
  }
}
