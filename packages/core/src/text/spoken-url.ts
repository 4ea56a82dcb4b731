/** Letters count, save in scripts that put no white space behind an address. */
const URL_TEXT =
  /(?:[\w\-.~:/?#@!$&'()*+,;=%]|(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])[\p{L}\p{N}\p{M}])+/uy
const TRAILING = new Set('.,;:!?\'"*_~)')

/** The address that begins at a place of a text, without the punctuation that belongs to the sentence around it. */
export function urlAt(text: string, from: number): string {
  URL_TEXT.lastIndex = from
  const url = URL_TEXT.exec(text)?.[0] ?? ''
  // An address may end in a bracket that it has opened itself.
  let open = 0
  for (const letter of url) open += letter === '(' ? 1 : letter === ')' ? -1 : 0
  let length = url.length
  for (; TRAILING.has(url.charAt(length - 1)); length -= 1) {
    if (url.charAt(length - 1) !== ')') continue
    if (open >= 0) break
    open += 1
  }
  return url.slice(0, length)
}

/** Only the host of an address, without `www.`, credentials and port. */
export function hostOf(url: string): string {
  const authority = url.replace(/^[a-z]+:\/\//i, '').split(/[/?#]/, 1)[0] ?? ''
  return authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d*$/, '')
    .replace(/^www\./i, '')
}
