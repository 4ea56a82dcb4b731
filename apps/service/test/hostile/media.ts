import { gzipSync } from 'node:zlib'
import { speechAudio } from '@svc-audio/testing'

/** A file that is not what it seems. */
export interface Bomb {
  readonly name: string
  readonly bytes: Buffer
}

const MB = 1024 * 1024

/** A WAV head that claims four gigabytes. */
function boastfulWav(): Buffer {
  const head = Buffer.alloc(4096)
  head.write('RIFF\xFF\xFF\xFF\xFFWAVEfmt ', 0, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(65_535, 22)
  head.writeUInt32LE(0xffff_ffff, 24)
  head.writeUInt32LE(0xffff_ffff, 28)
  head.writeUInt16LE(65_535, 32)
  head.writeUInt16LE(16, 34)
  head.write('data\xFF\xFF\xFF\xFF', 36, 'latin1')
  return head
}

/** Boxes of an MP4 that claim to be larger than the file, one within the other. */
function boastfulMp4(): Buffer {
  const file = Buffer.alloc(2048)
  file.writeUInt32BE(20, 0)
  file.write('ftypisom\0\0\0\0isom', 4, 'latin1')
  for (const [index, box] of ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stts'].entries()) {
    file.writeUInt32BE(0xffff_ffff, 20 + index * 8)
    file.write(box, 24 + index * 8, 'latin1')
  }
  file.fill(0xff, 76)
  return file
}

/** A tag that claims 256 MB before the first frame. */
function boastfulMp3(): Buffer {
  return Buffer.concat([
    Buffer.from('ID3\u0004\0\0', 'latin1'),
    Buffer.from([0x7f, 0x7f, 0x7f, 0x7f]),
    Buffer.alloc(4096),
  ])
}

/** A FLAC file of an hour of silence, which is half a megabyte. */
function silence(hours: number): Buffer {
  return speechAudio('flac', hours * 3600)?.bytes ?? Buffer.alloc(0)
}

/** Small files that could become large, slow, or something else: none may cost more than its answer. */
export function bombs(): Bomb[] {
  return [
    { name: 'an hour of silence in FLAC', bytes: silence(1) },
    { name: 'a WAV head that claims 4 GB', bytes: boastfulWav() },
    { name: 'an MP4 of boxes without end', bytes: boastfulMp4() },
    { name: 'an ID3 tag that claims 256 MB', bytes: boastfulMp3() },
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
