/**
 * The part of `XMLHttpRequest` that the page uses for uploads, over a `fetch`. Half of the body is sent at once, the
 * rest before the response.
 */
export function uploadsOver(send: typeof fetch): new () => EventTarget {
  return class FakeUpload extends EventTarget {
    readonly HEADERS_RECEIVED = 2
    readonly upload = new EventTarget()
    readonly #controller = new AbortController()
    readonly #headers = new Headers()
    #method = ''
    #url = ''
    #answer = new Response()
    #isBinary = false
    readyState = 0
    responseText = ''

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

    overrideMimeType(type: string): void {
      this.#isBinary = type.endsWith('charset=x-user-defined')
    }

    getAllResponseHeaders(): string {
      return [...this.#answer.headers].map((line) => line.join(': ')).join('\r\n')
    }

    abort(): void {
      this.#controller.abort()
    }

    send(body: Blob): void {
      this.#sent('progress', body.size / 2, body.size)
      void this.#run(body)
    }

    async #run(body: Blob): Promise<void> {
      const { signal } = this.#controller
      try {
        this.#answer = await send(this.#url, { method: this.#method, headers: this.#headers, body, signal })
        this.#sent('load', body.size, body.size)
        this.readyState = this.HEADERS_RECEIVED
        this.dispatchEvent(new Event('readystatechange'))
        await this.#receive()
        this.dispatchEvent(new Event('load'))
      } catch {
        this.dispatchEvent(new Event(signal.aborted ? 'abort' : 'error'))
      }
      this.dispatchEvent(new Event('loadend'))
    }

    async #receive(): Promise<void> {
      const decoder = new TextDecoder()
      for await (const bytes of this.#answer.body ?? []) {
        this.responseText += this.#isBinary ? userDefined(bytes) : decoder.decode(bytes, { stream: true })
        this.dispatchEvent(new Event('progress'))
      }
      this.#controller.signal.throwIfAborted()
    }

    #sent(type: 'progress' | 'load', loaded: number, total: number): void {
      this.upload.dispatchEvent(Object.assign(new Event(type), { loaded, total }))
    }
  }
}

/** Decodes the charset `x-user-defined`. */
function userDefined(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : 0xf7_00 + byte)).join('')
}
