import { hash } from 'node:crypto'
import { constants, copyFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { Rolldown } from 'vite'
import { FORMATS } from '../audio/formats.ts'
import { captionsOf, sectionsOf } from '../captions/captions.ts'
import type { Narration } from '../narration.ts'
import type { NarrationCache } from '../narrator/cache.ts'
import type { Outcome } from './narrate-all.ts'
import type { PendingAsset } from './pending-asset.ts'

/** Fields of a narration that replace its placeholders. */
export type LateFields = Pick<Narration, 'src' | 'captions' | 'durationSeconds' | 'bytes' | 'sections'>

/** A narration without audio. */
export const SILENT: LateFields = { src: '', captions: '', durationSeconds: undefined, bytes: undefined, sections: [] }

/** A file that replaces its stand-in in the bundle. */
export interface Copy {
  readonly from: string
  /** Name in the bundle. */
  readonly fileName: string
}

/** Adds a narration to the bundle, with its captions. */
export function emitNarration(
  context: Rolldown.PluginContext,
  { asset, page, segments }: Outcome,
  emit: 'bundle' | 'copy',
  cache: NarrationCache,
  copies: Copy[],
): LateFields {
  const { script } = asset.page
  if (page === undefined || script === undefined) return SILENT
  const { format } = script
  const { audio, bytes, durationSeconds, places, sha256, key } = page
  // The hash of the audio stands in for the audio: the address still changes with it, and the bundler holds no audio.
  const source = emit === 'copy' ? `${sha256}\n` : audio()
  const reference = emitAsset(context, asset, format, source)
  if (emit === 'copy') copies.push({ from: cache.path(key, format), fileName: context.getFileName(reference) })
  const captions = emitAsset(context, asset, 'vtt', captionsOf(segments, places, asset.page.language))
  return {
    // Vite replaces this when it renders the chunk, with the address for `base` and the environment.
    src: assetUrl(reference),
    captions: assetUrl(captions),
    durationSeconds,
    bytes,
    sections: sectionsOf(segments, places, durationSeconds),
  }
}

/** Adds a recording to the bundle. */
export async function emitRecording(
  context: Rolldown.PluginContext,
  asset: PendingAsset,
  emit: 'bundle' | 'copy',
  copies: Copy[],
): Promise<LateFields> {
  const { recording } = asset.page
  if (recording === undefined) return SILENT
  const audio = await readFile(recording)
  const extension = extname(recording).slice(1).toLowerCase()
  const source = emit === 'copy' ? `${hash('sha256', audio)}\n` : audio
  const reference = emitAsset(context, asset, extension, source)
  if (emit === 'copy') copies.push({ from: recording, fileName: context.getFileName(reference) })
  return {
    ...SILENT,
    src: assetUrl(reference),
    bytes: audio.byteLength,
    durationSeconds: recordingSeconds(extension, audio),
  }
}

/** Length of a recording in seconds. `undefined` for a format that the plugin does not read. */
export function recordingSeconds(extension: string, audio: Uint8Array): number | undefined {
  return Object.entries(FORMATS)
    .find(([format]) => format === extension)?.[1]
    .seconds(audio)
}

/**
 * Replaces the stand-ins by the audio, after the bundle is written.
 * @param folder Output folder.
 * @param bundle The written files. A server's build has no assets.
 */
export function copyAudio(copies: readonly Copy[], folder: string, bundle: object): void {
  for (const { from, fileName } of copies) {
    // A clone where the file system supports it. Never a link: a change to the built site must not change the cache.
    if (fileName in bundle) copyFileSync(from, join(folder, fileName), constants.COPYFILE_FICLONE)
  }
}

function emitAsset(
  context: Rolldown.PluginContext,
  { shownName }: PendingAsset,
  extension: string,
  source: Uint8Array | string,
): string {
  const [file = ''] = shownName.split('?', 1)
  const name = `${basename(file, extname(file))}.${extension}`
  const originalFileName = extension === 'vtt' ? `${shownName}#captions` : shownName
  return context.emitFile({ type: 'asset', name, originalFileName, source })
}

function assetUrl(reference: string): string {
  return `__VITE_ASSET__${reference}__`
}
