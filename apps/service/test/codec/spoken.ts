import { readFile } from 'node:fs/promises'
import { fliteSpeech } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import { transcode } from './transcode.ts'

/** The sentence in every file of {@link SPOKEN}, by the voice `rms` in 3.19 s. */
export const SENTENCE = 'You can change your password on the next page.'

/** {@link SENTENCE} in some format. */
export interface SpokenFile {
  readonly name: string
  /** Whether the format is lossless. */
  readonly lossless: boolean
  readonly make: () => Promise<Buffer>
}

/** The samples of {@link SENTENCE}: 16 kHz, one channel, 16 bit. */
export async function spokenSamples(): Promise<Buffer> {
  return Buffer.from((await fliteSpeech(SENTENCE)).buffer)
}

function spoken(name: string, args: string, lossless = false): SpokenFile {
  return { name, lossless, make: async () => transcode(await spokenSamples(), args, '-f s16le -ar 16000 -ac 1') }
}

/** A stored file that ffmpeg's usual builds cannot write: see `amr/README.md`. */
function kept(name: string, path: string): SpokenFile {
  return { name, lossless: false, make: () => readFile(new URL(path, import.meta.url)) }
}

const PICTURE = '-f lavfi -i testsrc=duration=3.2:size=64x48:rate=10 -pix_fmt yuv420p -map 0:a -map 1:v'

/** Every format of the interface. */
export const SPOKEN: readonly SpokenFile[] = [
  spoken('AAC', '-c:a aac -f adts out'),
  kept('AMR of narrow band', './amr/narrow-band.amr'),
  kept('AMR of wide band', './amr/wide-band.amr'),
  spoken('FLAC', '-c:a flac -f flac out', true),
  spoken('M4A', '-c:a aac -f ipod out'),
  spoken('ALAC', '-c:a alac -f ipod out', true),
  spoken('MOV', `${PICTURE} -c:v mpeg4 -c:a pcm_s16be -f mov out`, true),
  spoken('MP4', `${PICTURE} -c:v libx264 -preset ultrafast -c:a aac -f mp4 out`),
  spoken('MPG', `${PICTURE} -r 25 -c:v mpeg1video -ar 44100 -c:a mp2 -f mpeg out`),
  spoken('OGG', '-ar 44100 -c:a libvorbis -f ogg out'),
  spoken('OPUS', '-c:a libopus -f ogg out'),
  spoken('WAV', '-c:a pcm_s16le -f wav out', true),
  spoken('WebM', `${PICTURE} -c:v libvpx -deadline realtime -c:a libopus -f webm out`),
  spoken('WMA', '-ar 44100 -c:a wmav2 -f asf out'),
]
