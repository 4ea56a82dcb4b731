import { AMR_NB, AMR_WB } from './amr.ts'
import { tone } from './sound.ts'
import { transcode } from './transcode.ts'

/** A file of one container with a tone. */
export interface Sample {
  readonly name: string
  readonly seconds: number
  readonly make: () => Promise<Buffer>
}

const SECONDS = 1.5

const PICTURE = '-f lavfi -i testsrc=duration=1.5:size=64x48:rate=10 -pix_fmt yuv420p -shortest'

function sample(name: string, args: string): Sample {
  return { name, seconds: SECONDS, make: () => transcode(tone(SECONDS), args) }
}

/** Every file kind of the interface, variants with the same names, and MP3. */
export const SAMPLES: readonly Sample[] = [
  sample('AAC (ADTS)', '-c:a aac -f adts out'),
  sample('AAC (LATM)', '-c:a aac -f latm out'),
  { name: 'AMR narrow band', seconds: 1, make: () => Promise.resolve(AMR_NB) },
  { name: 'AMR wide band', seconds: 1, make: () => Promise.resolve(AMR_WB) },
  sample('FLAC', '-c:a flac -f flac out'),
  sample('M4A', '-c:a aac -f ipod out'),
  sample('M4A in fragments', '-c:a aac -movflags frag_keyframe+empty_moov -f mp4 out'),
  sample('ALAC in M4A', '-c:a alac -f ipod out'),
  sample('ALAC in CAF', '-c:a alac -f caf out'),
  sample('MOV', `${PICTURE} -c:v mpeg4 -c:a pcm_s16be -f mov out`),
  sample('MP4', `${PICTURE} -c:v libx264 -preset ultrafast -c:a aac -f mp4 out`),
  sample('MPG', `${PICTURE} -r 25 -c:v mpeg1video -ar 44100 -c:a mp2 -f mpeg out`),
  sample('MPEG-TS', `${PICTURE} -r 25 -c:v mpeg2video -ar 44100 -c:a mp2 -f mpegts out`),
  sample('OGG', '-c:a libvorbis -f ogg out'),
  sample('OPUS', '-c:a libopus -f ogg out'),
  sample('WAV', '-c:a pcm_s16le -f wav out'),
  sample('WAV of floats', '-c:a pcm_f32le -f wav out'),
  sample('WAV, µ-law, 8 kHz', '-ar 8000 -c:a pcm_mulaw -f wav out'),
  sample('WAV, stereo, 48 kHz', '-ar 48000 -ac 2 -c:a pcm_s24le -f wav out'),
  sample('WebM', `${PICTURE} -c:v libvpx -deadline realtime -c:a libopus -f webm out`),
  sample('WMA', '-c:a wmav2 -f asf out'),
  sample('MP3', '-c:a libmp3lame -f mp3 out'),
]
