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
