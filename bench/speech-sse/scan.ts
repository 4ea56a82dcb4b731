import { LineSplitter } from './line-splitter.ts'

const START = Buffer.from('data: {"type":"speech.audio.delta","audio":"')
const END_BYTES = '"}'.length

/** The limit: lines of one fixed spelling, without JSON or checks. It can read only this stream. */
export async function decode(body: AsyncIterable<Uint8Array>, onAudio: (pcm: Uint8Array) => void): Promise<void> {
  const lines = new LineSplitter()
  const read = (line: Buffer): void => {
    if (line.length < START.length || !line.subarray(0, START.length).equals(START)) return
    onAudio(Buffer.from(line.toString('latin1', START.length, line.length - END_BYTES), 'base64'))
  }
  for await (const chunk of body) lines.feed(chunk, read)
}
