import type { IDataObject } from 'n8n-workflow'

/** When a signed URL expires, where it tells so. */
export function expiryOf(url: unknown): IDataObject {
  if (typeof url !== 'string' || !URL.canParse(url)) return {}
  const { searchParams } = new URL(url)
  const seconds = Number(searchParams.get('expires') ?? searchParams.get('Expires') ?? Number.NaN)
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? {} : { expiresAt: date.toISOString() }
}
