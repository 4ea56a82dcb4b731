import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common'
import { catchError, map, type Observable, tap, throwError } from 'rxjs'
import { responseOf, setRetryAfter } from './audio-exception.ts'
import { nativeRequest } from './platform.ts'
import { headersOf, isUnstarted, withMethod } from './speech-file.ts'

/**
 * Adds headers that return values and exceptions cannot carry in Nest: those of audio, and `Retry-After` of this
 * package's exceptions. It lets `speechFile` know `HEAD`. Other values stay as they are. `AudioModule` binds it to the
 * app.
 */
@Injectable()
export class AudioResponseInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle()
    return withMethod(nativeRequest(context).method, () => next.handle()).pipe(
      tap((value: unknown) => setHeaders(context, headersOf(value))),
      map((value: unknown) => (isUnstarted(value) ? undefined : value)),
      catchError((error: unknown) => {
        const response = responseOf(error)
        if (response !== undefined) setRetryAfter(context, response)
        return throwError(() => error)
      }),
    )
  }
}

/** Sets headers, except those that the route has set. */
function setHeaders(context: ExecutionContext, headers: Readonly<Record<string, string>>): void {
  // Both platforms have these methods. On Fastify they belong to the reply, not to Node's response.
  const response = context
    .switchToHttp()
    .getResponse<{ header(name: string, value: string): unknown; getHeader(name: string): unknown }>()
  for (const [name, value] of Object.entries(headers)) {
    if (response.getHeader(name) === undefined) response.header(name, value)
  }
}
