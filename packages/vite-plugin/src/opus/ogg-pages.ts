import { viewOf } from '@svc-audio/core/audio'

const HEADER_BYTES = 27
/** The most entries of a page's table: one for each 255 bytes of a packet, and one for its rest. */
const MOST_ENTRIES = 255

/** Flags of a page (RFC 3533 §6). */
const FIRST = 2
const LAST = 4

/** The same audio gives the same bytes: no random number names the stream. */
const SERIAL = 1

/** Sums of the single bytes (RFC 3533 §6: polynomial 0x04c11db7, no reflection). */
const SUMS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24
  for (let bit = 0; bit < 8; bit += 1) sum = sum < 0 ? (sum << 1) ^ 0x04_c1_1d_b7 : sum << 1
  return sum
})

/** Puts the packets of one stream into Ogg pages (RFC 3533). */
export class OggPages {
  #pages = 0

  /** How many entries a packet takes in the table of its page. */
  static entries(packet: Uint8Array): number {
    return Math.floor(packet.byteLength / 255) + 1
  }

  /** Whether another packet fits into the page of these packets. */
  static fits(packets: readonly Uint8Array[], packet: Uint8Array): boolean {
    return packets.reduce((sum, one) => sum + OggPages.entries(one), OggPages.entries(packet)) <= MOST_ENTRIES
  }

  /**
   * A page of whole packets.
   * @param position The granule position: samples of the stream up to the end of the last packet.
   */
  page(packets: readonly Uint8Array[], position: number, isLast = false): Uint8Array {
    const table = packets.flatMap((packet) => [
      ...Array<number>(OggPages.entries(packet) - 1).fill(255),
      packet.byteLength % 255,
    ])
    const header = new Uint8Array(HEADER_BYTES)
    header.set(new TextEncoder().encode('OggS'))
    const view = viewOf(header)
    view.setUint8(5, (this.#pages === 0 ? FIRST : 0) | (isLast ? LAST : 0))
    view.setBigUint64(6, BigInt(position), true)
    view.setUint32(14, SERIAL, true)
    view.setUint32(18, this.#pages, true)
    view.setUint8(26, table.length)
    this.#pages += 1
    const page = Buffer.concat([header, Uint8Array.from(table), ...packets])
    page.writeUInt32LE(checksum(page), 22)
    return page
  }
}

function checksum(page: Uint8Array): number {
  let sum = 0
  for (const byte of page) sum = (sum << 8) ^ (SUMS[(sum >>> 24) ^ byte] ?? 0)
  return sum >>> 0
}
