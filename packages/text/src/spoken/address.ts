/** Letters of every script, except scripts without a space after an address. */
const ADDRESS_TEXT =
  /(?:[\w\-.~:/?#@!$&'()*+,;=%]|(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])[\p{L}\p{N}\p{M}])+/uy
const ADDRESS_START = /(?<![A-Za-z\d])(?:(?:https?|ftp|wss?):\/\/|www\.)(?=[\p{L}\p{N}])/giu
const TRAILING = new Set('.,;:!?\'"*_~)')

/** The web address at an index of a text, without the punctuation of the sentence around it. */
export function addressAt(text: string, from: number): string {
  ADDRESS_TEXT.lastIndex = from
  const address = ADDRESS_TEXT.exec(text)?.[0] ?? ''
  // An address may end with a bracket if it contains the opening one.
  let open = 0
  for (const letter of address) open += letter === '(' ? 1 : letter === ')' ? -1 : 0
  let length = address.length
  for (; TRAILING.has(address.charAt(length - 1)); length -= 1) {
    if (address.charAt(length - 1) !== ')') continue
    if (open >= 0) break
    open += 1
  }
  return address.slice(0, length)
}

/** The host of an address, without `www.`, credentials and port. */
export function hostOf(address: string): string {
  const authority = address.replace(/^[a-z]+:\/\//i, '').split(/[/?#]/, 1)[0] ?? ''
  return authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d*$/, '')
    .replace(/^www\./i, '')
}

/** Replaces each web address of a text. */
export function replaceAddresses(text: string, replace: (address: string) => string): string {
  // Most texts have no address: a search for two marks is faster than the expression.
  if (!text.includes('://') && !/www\./i.test(text)) return text
  const out: string[] = []
  let from = 0
  for (const { index } of text.matchAll(ADDRESS_START)) {
    if (index < from) continue
    const address = addressAt(text, index)
    out.push(text.slice(from, index), replace(address))
    from = index + address.length
  }
  return out.join('') + text.slice(from)
}
