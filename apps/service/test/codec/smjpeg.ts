/** Writes frames as ffmpeg hands decoded sound over: an SMJPEG of 16-bit samples at 16 kHz. */
export function smjpeg(
  frames: readonly { readonly milliseconds?: number; readonly samples: Uint8Array | string }[],
  channels = 1,
): Buffer {
  const sound = Buffer.from('_SND\0\0\0\u0008\0\0\u0010\0NONE', 'latin1')
  sound.writeUInt16BE(16_000, 8)
  sound.writeUInt8(channels, 11)
  const pieces = frames.map(({ milliseconds = 0, samples }) => {
    const bytes = Buffer.from(samples)
    const head = Buffer.from('sndD\0\0\0\0\0\0\0\0', 'latin1')
    head.writeInt32BE(milliseconds, 4)
    head.writeUInt32BE(bytes.byteLength, 8)
    return Buffer.concat([head, bytes])
  })
  const magic = Buffer.from('\0\nSMJPEG\0\0\0\0\0\0\0\0', 'latin1')
  return Buffer.concat([magic, sound, Buffer.from('HEND'), ...pieces, Buffer.from('DONE')])
}
