import type { ReadOptions } from '../options.ts'
import { hostOf, replaceAddresses } from './address.ts'
import { LEFT_OUT } from './marks.ts'

const PICTURE = '(?![©®™‼⁉ℹ〰〽\\u2194-\\u21AA])\\p{Extended_Pictographic}'
const TAIL = '[\\uFE0F\\u20E3\\u{1F3FB}-\\u{1F3FF}\\u{E0020}-\\u{E007F}]*'
const EMOJI = new RegExp(
  `\\p{Regional_Indicator}{1,2}|(?:${PICTURE})${TAIL}(?:\\u200D(?:${PICTURE})${TAIL})*|(?<![\\w:]):[a-z+-][\\w+-]{0,40}:(?![\\w:])`,
  'giu',
)
/** Turns a digit into a keycap. The digit stays. */
const KEYCAP = /\uFE0F?\u20E3/g
const MAY_HOLD_EMOJI = /[^\0-\u2190]|:[a-z+-]/i

/** Replaces addresses and emoji in plain text. An omission leaves a mark for `tidy()`. */
export function spokenText(text: string, options: ReadOptions): string {
  const words = options.urls === 'read' ? text : replaceAddresses(text, (address) => spokenAddress(address, options))
  return options.emoji === 'keep' ? words : withoutEmoji(words)
}

/** Replaces one web address. */
export function spokenAddress(address: string, { urls = 'host' }: ReadOptions): string {
  return urls === 'read' ? address : urls === 'skip' ? LEFT_OUT : hostOf(address)
}

function withoutEmoji(text: string): string {
  return MAY_HOLD_EMOJI.test(text) ? text.replaceAll(EMOJI, LEFT_OUT).replaceAll(KEYCAP, '') : text
}
