import { gzipSync } from 'node:zlib'
import { speechAudio } from '@svc-audio/testing'
import { BOMBS } from '../codec/bombs.ts'

/** A deceptive file. */
interface Bomb {
  readonly name: string
  readonly bytes: Buffer
}

const MB = 1024 * 1024

/** A FLAC file of an hour of silence: half a megabyte. */
function silence(hours: number): Buffer {
  return speechAudio('flac', hours * 3600)?.bytes ?? Buffer.alloc(0)
}

/** Small files that could become large, slow, or another type. None may cost more than its response. */
export function bombs(): Bomb[] {
  return [
    { name: 'an hour of silence in FLAC', bytes: silence(1) },
    ...BOMBS.filter(({ size }) => size === undefined).map(({ name, make }) => ({ name, bytes: make() })),
    { name: '100 MB of zeros, compressed', bytes: gzipSync(Buffer.alloc(100 * MB)) },
    { name: 'compressed twice', bytes: gzipSync(gzipSync(Buffer.alloc(100 * MB))) },
    { name: 'a playlist of this machine', bytes: Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n') },
    { name: 'a list of files to join', bytes: Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n") },
    { name: 'a session to listen to', bytes: Buffer.from('v=0\r\nc=IN IP4 127.0.0.1\r\nm=audio 5004 RTP/AVP 0\r\n') },
    { name: 'nothing', bytes: Buffer.alloc(0) },
    { name: 'one byte', bytes: Buffer.from([0]) },
    { name: 'a megabyte of frames of nothing', bytes: Buffer.alloc(MB, 0xff) },
  ]
}
