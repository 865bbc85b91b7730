export class Debounce {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly wait: number) {}

  call(f: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(f, this.wait);
  }

  /** Forgets a call that has not been made yet. */
  cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
