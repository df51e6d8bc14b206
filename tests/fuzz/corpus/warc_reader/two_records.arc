filedesc://x.arc 0.0.0.0 20200101000000 text/plain 77
1 0 test             URL IP-address Archive-date Content-type Archive-length

http://example.org/1 192.0.2.1 20200101000001 text/html 59
HTTP/1.1 200 OK
Content-Type: text/plain

body number 1

http://example.org/2 192.0.2.1 20200101000002 text/html 59
HTTP/1.1 200 OK
Content-Type: text/plain

body number 2

