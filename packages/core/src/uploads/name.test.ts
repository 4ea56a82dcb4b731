import { describe, expect, test } from 'vitest'
import { fitName } from './name.ts'
import { OCTETS } from './source.ts'

const latin1 = (text: string): Uint8Array => Buffer.from(text.padEnd(64, '\0'), 'latin1')
const WAV = latin1('RIFF\u0024\0\0\0WAVEfmt ')
const OPUS = latin1(`OggS\0\u0002${'\0'.repeat(20)}\u0001\u0013OpusHead`)
const VORBIS = latin1(`OggS\0\u0002${'\0'.repeat(20)}\u0001\u0013\u0001vorbis`)
const MP4 = latin1('\0\0\0\u0018ftypisom')
const TEXT = latin1('nothing that is known')

describe('the bytes correct the name', () => {
  test.each([
    ['a missing extension', 'audio', WAV, 'audio.wav'],
    ['one that says nothing', 'upload.bin', WAV, 'upload.wav'],
    ['one of another format', 'speech.mp3', WAV, 'speech.wav'],
    ['one of no format', 'speech.TXT', WAV, 'speech.wav'],
    ['a voice note of a messenger', 'note.oga', OPUS, 'note.opus'],
    ['a voice note with Vorbis in it', 'note.oga', VORBIS, 'note.ogg'],
    ['a codec that is not in it', 'note.opus', VORBIS, 'note.ogg'],
    ['a longer spelling', 'speech.wave', WAV, 'speech.wav'],
    ['a container by the name of its telephone', 'memo.3gp', MP4, 'memo.mp4'],
    ['a number, which is no extension', 'Part.2', WAV, 'Part.2.wav'],
    ['a date, which is none', 'talk 2024.01.05', WAV, 'talk 2024.01.05.wav'],
    ['a surname, which is none', 'Dr.Miller', WAV, 'Dr.Miller.wav'],
    ['a hidden file', '.recording', WAV, '.recording.wav'],
    ['an extension alone', '.mp3', WAV, 'audio.wav'],
    ['no name at all', '', WAV, 'audio.wav'],
    ['a name in lines', 'a\nb.mp3', WAV, 'a\nb.wav'],
  ])('%s: %j', (_, name, head, sent) => {
    expect(fitName(name, OCTETS, head).name).toBe(sent)
  })
})

describe('the name stays unchanged', () => {
  test.each([
    ['where it fits', 'speech.wav', WAV],
    ['where it fits in capitals', 'SPEECH.WAV', WAV],
    ['where a container is named by its family', 'note.ogg', OPUS],
    ['where one container has several names', 'speech.m4a', MP4],
    ['as above', 'speech.mov', MP4],
    ['where the bytes are not known', 'speech.mp3', TEXT],
    ['where neither is known', 'speech', TEXT],
    ['where nothing can be looked at', 'speech.mp3', undefined],
    ['where there are no bytes', 'speech.mp3', new Uint8Array(0)],
  ])('%s: %j', (_, name, head) => {
    expect(fitName(name, OCTETS, head).name).toBe(name)
  })
})

describe('a missing extension comes from the type if the bytes are unknown', () => {
  test.each([
    ['audio/wav', 'audio.wav'],
    ['audio/x-wav', 'audio.wav'],
    ['audio/vnd.wave', 'audio.wav'],
    ['audio/mpeg', 'audio.mp3'],
    ['audio/mp3', 'audio.mp3'],
    ['audio/mp4', 'audio.m4a'],
    ['audio/x-m4a', 'audio.m4a'],
    ['video/mp4', 'audio.mp4'],
    ['video/mpeg', 'audio.mpg'],
    ['video/quicktime', 'audio.mov'],
    ['Audio/OGG; codecs=opus', 'audio.ogg'],
    ['application/ogg', 'audio.ogg'],
    ['audio/opus', 'audio.opus'],
    ['audio/webm;codecs=opus', 'audio.webm'],
    ['audio/x-ms-wma', 'audio.wma'],
    ['audio/aacp', 'audio.aac'],
    ['audio/amr', 'audio.amr'],
    ['audio/x-flac', 'audio.flac'],
    ['audio/x-unheard-of', 'audio'],
    ['text/plain', 'audio'],
    ['audio/constructor', 'audio'],
    [OCTETS, 'audio'],
  ])('%s', (type, sent) => {
    expect(fitName('audio', type)).toEqual({ name: sent, type })
  })

  test('but an existing extension is not replaced by the type', () => {
    expect(fitName('note.oga', 'audio/ogg').name).toBe('note.oga')
    expect(fitName('speech.mp3', 'audio/wav').name).toBe('speech.mp3')
  })

  test('the bytes override the type', () => {
    expect(fitName('audio', 'audio/mpeg', WAV)).toEqual({ name: 'audio.wav', type: 'audio/mpeg' })
  })
})

describe('the type', () => {
  test('comes from the bytes if unknown, else from the name', () => {
    expect(fitName('a.bin', OCTETS, OPUS).type).toBe('audio/ogg')
    expect(fitName('a.m4a', OCTETS, MP4).type).toBe('audio/mp4')
    expect(fitName('a.mp4', OCTETS, MP4).type).toBe('video/mp4')
    expect(fitName('a.FLAC', OCTETS).type).toBe('audio/flac')
    expect(fitName('a.xyz', OCTETS, TEXT).type).toBe(OCTETS)
    expect(fitName('a', OCTETS).type).toBe(OCTETS)
  })

  test('of the caller stays', () => {
    expect(fitName('a.wav', 'audio/x-custom', WAV).type).toBe('audio/x-custom')
  })
})
