/** Options of {@link AudioFetcher.fetch}. */
export interface FetchOrder {
  readonly url: string
  /** The field of the URL, for errors. */
  readonly param: string
  /** Path of the file to create. */
  readonly path: string
}

/** Fetches audio from the network. A driver connects only to permitted addresses, also after a redirect. */
export interface AudioFetcher {
  /**
   * Checks a URL without resolving its name.
   * @throws ServiceError 400 `invalid_url`, `private_url`
   */
  check(url: string, param: string): void
  /**
   * Streams the content of a URL to a file. After an error, the caller removes the partial file.
   * @throws ServiceError 400 `invalid_url`, `private_url` for the URL, its addresses or a redirect; 400
   * `url_unreachable` when the fetch fails; 413 `file_too_large` over 512 MB; the signal's reason
   */
  fetch(order: FetchOrder, signal: AbortSignal): Promise<void>
}
