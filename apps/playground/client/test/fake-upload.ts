/** The part of `XMLHttpRequest` that the page uses for uploads, over a `fetch`. Half of the body is sent at once. */
export function uploadsOver(send: typeof fetch): new () => EventTarget {
  return class FakeUpload extends EventTarget {
    readonly upload = new EventTarget()
    readonly #controller = new AbortController()
    readonly #headers = new Headers()
    #method = ''
    #url = ''
    #answer = new Response()
    responseType = ''
    response: ArrayBuffer | undefined

    get status(): number {
      return this.#answer.status
    }

    open(method: string, url: URL): void {
      this.#method = method
      this.#url = url.href
    }

    setRequestHeader(name: string, value: string): void {
      this.#headers.append(name, value)
    }

    getAllResponseHeaders(): string {
      return [...this.#answer.headers].map((line) => line.join(': ')).join('\r\n')
    }

    abort(): void {
      this.#controller.abort()
    }

    send(body: Blob): void {
      const progress = { loaded: Math.floor(body.size / 2), total: body.size }
      this.upload.dispatchEvent(Object.assign(new Event('progress'), progress))
      void this.#run(body)
    }

    async #run(body: Blob): Promise<void> {
      const { signal } = this.#controller
      const headers = this.#headers
      try {
        this.#answer = await send(this.#url, { method: this.#method, headers, body, signal })
        this.response = await this.#answer.arrayBuffer()
        this.dispatchEvent(new Event('load'))
      } catch {
        this.dispatchEvent(new Event(signal.aborted ? 'abort' : 'error'))
      }
      this.dispatchEvent(new Event('loadend'))
    }
  }
}
