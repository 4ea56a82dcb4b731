/** Characters that XML 1.0 does not allow. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu
const REFERENCES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A text for XML, in an element or in an attribute. */
export function escapeXml(text: string): string {
  return text.replaceAll(FORBIDDEN, '').replaceAll(/[&<>"]/g, (sign) => REFERENCES[sign] ?? sign)
}

/** An element. Attributes and text without a value are omitted. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  content?: string,
): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escapeXml(String(value))}"`],
  )
  return content === undefined ? `<${name}${written.join('')}/>` : `<${name}${written.join('')}>${content}</${name}>`
}

/** An element of a text; nothing without a text. */
export function textElement(name: string, text: string | undefined): string {
  return text === undefined ? '' : element(name, {}, escapeXml(text))
}

/**
 * An absolute address.
 * @param address An address of a narration, which begins with the public path of the site.
 * @param site Address of the site, e.g. `https://blog.example`.
 * @throws TypeError when `site` is not an absolute address
 */
export function absolute(address: string, site: string): string {
  if (!URL.canParse(site)) throw new TypeError(`site must be an absolute address such as https://blog.example: ${site}`)
  return new URL(address, site).href
}
