/** What to fetch. */
export interface FetchOrder {
  readonly url: string
  /** The field that the URL came in, for errors. */
  readonly param: string
  /** Where it goes: a file that is not there yet. */
  readonly path: string
}

/** Fetches audio from the network. A driver must not be led to an address that is not permitted, at no redirect. */
export interface AudioFetcher {
  /**
   * Checks a URL by its spelling, before anything is resolved.
   * @throws ServiceError 400 `invalid_url`, `private_url`
   */
  check(url: string, param: string): void
  /**
   * Streams what is at a URL to a file. What there is of the file after a failure is the caller's to remove.
   * @throws ServiceError 400 `invalid_url`, `private_url` for the URL, what it resolves to, or where it redirects to; 400
   * `url_unreachable` when nothing came of it; 413 `file_too_large` over 512 MB; the signal's reason
   */
  fetch(order: FetchOrder, signal: AbortSignal): Promise<void>
}
