import { fileURLToPath } from 'node:url'
import type { UploadStream } from '@svc-audio/core'
import { ofStore, SpeechToolError, storeFailed } from '../errors/speech-tool-error.ts'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { RunScope } from '../run/run-context.ts'
import { isAudioId, type OpenedAudio } from '../store/audio-store.ts'
import { type AudioSource, openAllowedFile } from './allowed-file.ts'
import { checkAllowedUrl } from './url-policy.ts'

/** A scheme of at least two letters: `C:` is a drive. */
const SCHEME = /^[a-z][a-z\d+.-]+:/i

/** Longer than any reference, path or URL that is worth looking at. */
const MAX_NAME = 4096

/**
 * Opens what a model named. What looks like a URL is one; then references count before paths.
 * @throws SpeechToolError with an instruction for the model
 */
export async function openSource(given: string, scope: RunScope): Promise<AudioSource> {
  const { options, access } = scope
  const { store, names } = options
  const audio = given.length > MAX_NAME ? '' : referenceIn(given)
  const roots = options.paths ? await scope.roots() : []
  if (/^file:/i.test(audio) && roots.length > 0) return openInRoots(roots, pathOf(audio))
  if (SCHEME.test(audio)) {
    const url = await checkAllowedUrl(audio, scope)
    return { source: { type: 'url', url }, key: undefined, body: { url } }
  }
  const opened = isAudioId(audio) ? await ofStore(() => store.open(audio, access)) : undefined
  if (opened !== undefined) return fromStore(audio, opened)
  if (roots.length > 0) return openInRoots(roots, audio)
  const message = `There is no audio with this reference. Give one exactly as ${names.speak} returned it.`
  throw new SpeechToolError('audio_not_found', message)
}

/** Sources of audio that a model may name. */
export function accepted({ names, allowUrls, urlHosts, urlPolicy, paths }: ResolvedOptions): string {
  const ofHosts = urlHosts.length === 0 ? '' : ` of ${urlHosts.join(' or ')}`
  const ofUser = urlPolicy === 'from-user' ? ' that the user wrote' : ''
  return [
    `a reference as ${names.speak} returns it`,
    ...(allowUrls ? [`a public https URL${ofHosts}${ofUser}`] : []),
    ...(paths ? ['the path of an audio file in a shared folder'] : []),
  ].join(', or ')
}

/** The file in the first root that has it. */
async function openInRoots(roots: readonly string[], path: string): Promise<AudioSource> {
  let failure: unknown
  for (const root of roots) {
    try {
      return await openAllowedFile(root, path)
    } catch (error) {
      // A file that is there but cannot be used tells more than a root that does not have it.
      if (failure === undefined || !isElsewhere(error)) failure = error
    }
  }
  throw failure
}

function isElsewhere(error: unknown): boolean {
  return SpeechToolError.isInstance(error) && error.code === 'path_not_allowed'
}

/** @throws SpeechToolError `audio_not_found` */
function pathOf(uri: string): string {
  try {
    return fileURLToPath(uri)
  } catch (error) {
    throw new SpeechToolError('audio_not_found', 'This is not the address of a file. Give its path.', { cause: error })
  }
}

/** Models paste a reference with its surroundings: `Reference: audio_1.wav`, quotes, a full stop. */
export function referenceIn(given: string): string {
  const text = given.trim().replace(/^(?:audio )?(?:reference|transcript)\s*:\s*/i, '')
  const [, quoted] = /^[`"'<([](.+)[`"'>)\]]$/s.exec(text) ?? []
  const bare = (quoted ?? text).trim()
  return /^[A-Za-z0-9._~-]+\.$/.test(bare) ? bare.slice(0, -1) : bare
}

/** Identifies stored audio among all sources. */
export function referenceKey(id: string): string {
  return JSON.stringify(['reference', id])
}

function fromStore(id: string, audio: OpenedAudio): AudioSource {
  const found = { source: { type: 'reference', id }, key: referenceKey(id) } as const
  if ('file_id' in audio) return { ...found, body: { file_id: audio.file_id } }
  const { bytes, contentType } = audio
  const size = bytes === undefined ? {} : { size: bytes }
  return { ...found, body: { file: { data: () => guarded(audio.stream()), name: id, type: contentType, ...size } } }
}

/** A store that fails in the middle is the store's failure, not the connection's. */
async function* guarded(stream: UploadStream): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* stream
  } catch (error) {
    throw storeFailed(error)
  }
}
