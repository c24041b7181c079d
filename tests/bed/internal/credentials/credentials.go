// Package credentials makes what a cluster needs to know whom it talks to: an authority, certificates, tokens, kubeconfigs.
package credentials

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// User is one who may log in, by token and by client certificate.
type User struct {
	Name        string   `json:"name"`
	Groups      []string `json:"groups"`
	Token       string   `json:"token"`
	Certificate string   `json:"clientCertificate"` // path
	Key         string   `json:"clientKey"`         // path
}

// Authority is a folder with a certificate authority and what it has signed. What is in the folder already is used again.
type Authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Path of a file in the authority's folder.
func (a *Authority) Path(name string) string { return filepath.Join(a.dir, name) }

// Certificate is the path of the authority's own certificate.
func (a *Authority) Certificate() string { return a.Path("ca.crt") }

// Open makes the authority in dir, or takes the one that is there.
func Open(dir string) (*Authority, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	a := &Authority{dir: dir}
	if exists(a.Path("ca.crt")) && exists(a.Path("ca.key")) {
		return a, a.read()
	}
	template := certificate("bed", nil, 10*365*24*time.Hour)
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	if err := a.sign("ca", template, true); err != nil {
		return nil, err
	}
	return a, a.read()
}

// Serving makes NAME.crt and NAME.key for a server on loopback; a negative time makes one that has run out.
func (a *Authority) Serving(name string, valid time.Duration) error {
	template := certificate(name, nil, valid)
	template.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback, net.IPv4(10, 0, 0, 1)}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	return a.keep(name, template)
}

// Client makes a user's certificate and token. In a client certificate the common name is the user, organizations are its groups.
func (a *Authority) Client(name string, groups []string, token string) (User, error) {
	template := certificate(name, groups, 365*24*time.Hour)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	file := "client-" + strings.ReplaceAll(name, ":", "-")
	if err := a.keep(file, template); err != nil {
		return User{}, err
	}
	if token == "" {
		text := make([]byte, 16)
		if _, err := rand.Read(text); err != nil {
			return User{}, err
		}
		token = hex.EncodeToString(text)
	}
	return User{Name: name, Groups: groups, Token: token, Certificate: a.Path(file + ".crt"), Key: a.Path(file + ".key")}, nil
}

// SigningKey makes the key of service account tokens.
func (a *Authority) SigningKey() (string, error) {
	path := a.Path("service-account.key")
	if exists(path) {
		return path, nil
	}
	_, err := writeKey(path)
	return path, err
}

func (a *Authority) keep(name string, template *x509.Certificate) error {
	if exists(a.Path(name+".crt")) && exists(a.Path(name+".key")) {
		return nil
	}
	return a.sign(name, template, false)
}

func (a *Authority) sign(name string, template *x509.Certificate, itself bool) error {
	key, err := writeKey(a.Path(name + ".key"))
	if err != nil {
		return err
	}
	parent, signer := a.cert, a.key
	if itself {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		return fmt.Errorf("signing %s: %w", name, err)
	}
	return writePEM(a.Path(name+".crt"), "CERTIFICATE", der)
}

func (a *Authority) read() error {
	cert, err := readPEM(a.Path("ca.crt"))
	if err != nil {
		return err
	}
	if a.cert, err = x509.ParseCertificate(cert); err != nil {
		return err
	}
	key, err := readPEM(a.Path("ca.key"))
	if err != nil {
		return err
	}
	a.key, err = x509.ParseECPrivateKey(key)
	return err
}

// certificate is what all have in common; a negative validity lies in the past, from twice that long ago.
func certificate(name string, organizations []string, valid time.Duration) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic(err) // the system has no randomness
	}
	begin := time.Now().Add(-time.Minute)
	if valid < 0 {
		begin = time.Now().Add(2 * valid)
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name, Organization: organizations},
		NotBefore:    begin,
		NotAfter:     time.Now().Add(valid),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func writeKey(path string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, writePEM(path, "EC PRIVATE KEY", der)
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

func readPEM(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s: no PEM block", path)
	}
	return block.Bytes, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}

// WriteTokens writes the API server's token file.
func WriteTokens(path string, users []User) error {
	var text strings.Builder
	for _, user := range users {
		fmt.Fprintf(&text, "%s,%s,%s,%q\n", user.Token, user.Name, user.Name, strings.Join(user.Groups, ","))
	}
	return os.WriteFile(path, []byte(text.String()), 0o600)
}

// WriteKubeconfig writes a kubeconfig with one user and the authority's certificate in it.
func WriteKubeconfig(path, server string, authority *Authority, user User) error {
	ca, err := os.ReadFile(authority.Certificate())
	if err != nil {
		return err
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["bed"] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: ca}
	config.AuthInfos[user.Name] = &clientcmdapi.AuthInfo{Token: user.Token}
	config.Contexts["bed"] = &clientcmdapi.Context{Cluster: "bed", AuthInfo: user.Name}
	config.CurrentContext = "bed"
	return clientcmd.WriteToFile(*config, path)
}
