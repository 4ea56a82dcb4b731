import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

// ffmpeg cannot write AMR. These two files come from the reference encoders: one second of 660 Hz each.

/** AMR narrow band, 4.75 kbit/s (opencore-amrnb). */
const AMR_NB: Buffer = decoded([
  'IyFBTVIKBAH3HF/jafo6IBMMLgRgrDKne1+1UU3oYxIEYC8NWmvd1bnospAQBGAvDVurfIV54oUtiARgLw1Xe66F94gsIOAEYC8NWnut5d2zBRTs',
  'BGAvDVdr2qW55AwgYARgLw1aa13V05JQmvIEYC8NXmteZbH6hSWEBGAvDVt7rIX3iCyA0gRgLw1Wa19l1eqQkugEYC8NXmvddbHoSCA8BGAvDVt7',
  'bJXTglCa5gRgLw1Xa96l1ZMyLSoEYC8NW7scZb1KKFryBGAvDVa7H1W/kJ0pCgRgLw1WuxtF/bMyRiYEYC8NVnuvZdPIUQniBGAvDVd7bcXx8oU9',
  'hARgLw1aq23F+ewoR8AEYC8NVutZRdmyjQD8BGAvDVZ7e0X55SwwcgRgLw1Xa9q1m8iChH4EYC8NVutZdb+yjEDCBGAvDVZr22XbxEJXOARgLw1W',
  '61lV24kNIZ4EYC8NV3ut1bHkSDEsBGAvDVpr3dWziohyyARgLw1Xq36VnaUpIlQEYC8NVrsbZdvkSlcYBGAvDVa7KUXZzIyDzARgLw1ea11VscRI',
  'MQwEYC8NXmteVZHqkpAGBGAvDVt7bIWxooQlhgRgLw1ba1yls8JAXrgEYC8NXmtdZdeKkzCKBGAvDVtrXLWVyCIknARgLw1ea911k7KIQngEYC8N',
  'Wmtd1ZXtJSAcBGAvDVtrX1XXzihCJARgLw1eq31VvbKlDWwEYC8NV3tqtZuCLEOKBGAvDVa7G3XfiEKK9gRgLw1aa93ltaUCMZIEYC8NW2vcZdPi',
  'IFYQBGAvDVe7HdW9sqUNbARgLw1Xq3q1nYIqR54EYC8NW3tcdd2yRIqGBGAvDVe7KrWdsoogAgRgLw1Xq3q1m8RKPig=',
])

/** AMR wide band, 6.6 kbit/s (vo-amrwbenc). */
const AMR_WB: Buffer = decoded([
  'IyFBTVItV0IKBPFRYz4+DKAy4YPdqYiIqNOgBP2VZopFpOMm5yFbUKJ7ddIQBPRF8C/9vOIo0zOtWBAdv4kwBPXVAO57pOI10xlTwJA9ItRQBP/V',
  'A/Z9pOAm4yOuvbSTEszgBPPVAO/rpOIw8zFSGQmYZtpQBP8VDvZ9ReVm1xOuSEIShxbQBP+FD2/9vOIo0xFUuQFGWs7gBP3VAO5/pOI18xjJcUAT',
  'wj3ABP/VA3Z9ZOBmxzFWiaQGlFcgBPPVAO/rpOIw8zDKvl0KTTrwBP8VDu59pOIm+xFVjBAIscxwBP8FD+/9vOIo0zOmOBJTSMCgBP3VBO5/pOI1',
  'wxlbwrIQTlUQBP/VA/Z9pOAm4yOpmDDHQfrQBPPVAO/rpOIw8xFSGU0YYBrQBP8VD/Z9ReVm1xOriAHhZKQwBP+FD+/9vOIo0xFUWQBFeuTABP/V',
  'CG53pOI14xjO22NUDwnQBP/VB/Z9pOAm4wFU0IMDL0zABPPVAO/rpOIw8zDGFtKBQTJQBP9VD/Z8ZuDmzzFTCAePItZABP9FD2/9vOIo0zOuMBDx',
  'ymigBP3VAO5/pOI10xlWUQEOCjEgBP/VB/Z9ZOBm5zOsxJKLL81gBPPVAO/rpOIw8zFeKSA53tgwBP8VD/Z9ReVm1xOng4rDbR4gBP+FD+/9vOIo',
  '0xFUcGnFkwSgBPnVCO5npOI18xjM8bABM7zgBP/VC/Z9pOAm4wFYSwMgPsbwBPPVAO/rpOIw8zDKaPlQ50AgBP8VDvZ8R+Xm3zFdRAKaj9LQBP8F',
  'D+/9vOIo0zOpoNAfEsZgBP3VAO5/pOI10xlcwIlYkn3QBP/VB/Z9pOAm4yOmNxwwm8XgBPHVAO/jpOIw8zFSoomCyXjgBP8VDvZ9ReVm1xOqQMML',
  'jgZQBP8FD+/9vOIo0xFWWSBAW8HgBP2VCO5npOI14xjJU3GCkcpQBP/VC/Z9pOAm4wFYuQOzjkFwBPPVAO/rpOIw8zDG3cnYQFhABP8VDvZ8R+Xm',
  '3zFTSAPLRpZABP8FD+/9vOIo0zOokYQPVgagBP/VBO5/pOI1wxlfcjGGlFpABP9VB/Z5pOAm4yOtqWFDHDeABPHVAO/jpOIw8zFSrpGWzWygBP8V',
  'D/Z9ReVm1xOugEC4vaTABP+FD+/9vOIo0xFVuFAXSoegBPnVCO5vpOI10xjMWQGaj1QABP/VB/Z9ZOBm5zFaJG8BENJg',
])

function decoded(base64: readonly string[]): Buffer {
  return Buffer.from(base64.join(''), 'base64')
}

/** A folder for the files of one test file. */
export class ScratchFolder {
  readonly path: string
  #count = 0

  private constructor(path: string) {
    this.path = path
  }

  static async create(): Promise<ScratchFolder> {
    return new ScratchFolder(await mkdtemp(join(tmpdir(), 'svc-audio-test-')))
  }

  /** Writes a file and returns its path. The name does not reveal the content. */
  async write(content: string | Uint8Array, name = `${(this.#count += 1)}.bin`): Promise<string> {
    const path = join(this.path, name)
    await writeFile(path, content)
    return path
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true })
  }
}
