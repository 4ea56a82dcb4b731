import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import { isAudioId, type ReadableAudio, SpeechToolError, storeFailed } from '@svc-audio/agent-tools'
import { z } from 'zod'
import { pathOf } from './audio-resources.ts'
import type { AudioPlayer } from './player.ts'
import { type Extra, runContext, type ServerContext } from './server-context.ts'
import { PLAY_OUTPUT, resultOf } from './structured-content.ts'

/** Name of the tool. */
export const PLAY = 'play'

const SCHEMA = z.object({ audio: z.string() })

/** The tool for `tools/list`. */
export function describePlay({ created }: ServerContext): Tool {
  const { speak } = created.options.names
  return {
    name: PLAY,
    title: 'Play',
    description: `Plays audio on the user's computer and returns at its end. Call it after ${speak} when the user wants to hear something.`,
    inputSchema: {
      type: 'object',
      properties: { audio: { type: 'string', description: `A reference as ${speak} returns it.` } },
      required: ['audio'],
    },
    outputSchema: PLAY_OUTPUT,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  }
}

/**
 * Plays audio of the store.
 * @throws SpeechToolError, or the signal's reason
 */
export async function play(
  given: unknown,
  player: AudioPlayer,
  { created }: ServerContext,
  extra: Extra,
): Promise<CallToolResult> {
  const { store, names } = created.options
  const args = SCHEMA.safeParse(given)
  if (!args.success) {
    throw new SpeechToolError('invalid_arguments', `Give "audio", a reference as ${names.speak} returns it.`)
  }
  const id = args.data.audio.trim()
  const access = created.accessOf({ signal: extra.signal, context: runContext(extra) })
  const audio = isAudioId(id) ? await store.open(id, access).catch(failed) : undefined
  if (audio === undefined || !('stream' in audio)) {
    throw new SpeechToolError(
      'audio_not_found',
      `There is no audio with this reference. Give one exactly as ${names.speak} returned it.`,
    )
  }
  const path = await pathOf(store, id, access)
  if (path === undefined) await playCopy(id, audio, player, extra.signal)
  else await playFile(path, player, extra.signal)
  return resultOf('Played.', { played: id })
}

async function playCopy(id: string, audio: ReadableAudio, player: AudioPlayer, signal: AbortSignal): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-play-'))
  try {
    const file = join(folder, id)
    await writeFile(file, audio.stream(), { signal })
    await playFile(file, player, signal)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function playFile(path: string, player: AudioPlayer, signal: AbortSignal): Promise<void> {
  try {
    await player.play(path, signal)
  } catch (error) {
    signal.throwIfAborted()
    const message = 'The audio cannot be played on this computer. Tell the user where the audio is.'
    throw new SpeechToolError('playback_failed', message, { cause: error })
  }
}

function failed(error: unknown): never {
  throw storeFailed(error)
}
